"""Filling a database: follow graphs from files, the seed platform, the demo neighbourhood (docs/data.md)."""
