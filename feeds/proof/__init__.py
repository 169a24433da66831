"""Proof that feeds are right: each walked as its reader would, and compared with the reference query."""
