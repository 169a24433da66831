"""Deliberate breaks: each rule of the feed is taken out of a copy of the tree, and some test has to fail.

kinds      what a break is
catalogue  the breaks, by subject
run        copying, breaking, running
__main__   the command behind bin/break-it
"""
