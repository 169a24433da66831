"""Pages about menus."""
