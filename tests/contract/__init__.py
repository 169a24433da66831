"""The API against its own document: schemathesis makes requests of it, right and wrong ones, and judges the answers.

world     accounts, menus and relations that make calls succeed; as they were, again after each change
filling   what no schema can say: ids that are there, cursors that are ours, a username that is free
playing   one run, in this process, on real PostgreSQL and Redis; what was asked, and what was wrong
"""
