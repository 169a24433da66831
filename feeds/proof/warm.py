"""Building viewers' feeds as their own reads would."""

from feeds.reading import SignedOut, read_feed


def warm_viewers(viewer_ids: list[int]) -> tuple[int, int]:
    """Open each viewer's feed once, as the viewer: (opened, of them built just now)."""
    opened = built = 0
    for viewer_id in viewer_ids:
        try:
            page = read_feed(viewer_id)
        except SignedOut:  # deactivated: has no feed
            continue
        opened += 1
        built += page.queries > 0
    return opened, built
