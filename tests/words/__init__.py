"""The words of pages: which there are in templates and code, and what the catalogues make of them.

catalogue.py   reads .po files, and .mo files as Django does
sources.py     the messages that are marked for translation, and the words that are not
"""
