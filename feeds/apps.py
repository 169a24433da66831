from django.apps import AppConfig


class FeedsConfig(AppConfig):
    name = "feeds"
    verbose_name = "Feeds"

    def ready(self) -> None:
        from feeds import checks, signals  # noqa: F401
        from feeds.ranking.notes import note_opened
        from feeds.ranking.recording import erase_seen, seen_to_export
        from feeds.reach import tell_reach
        from posts.exporting import tell_also
        from posts.openings import put_down_by
        from posts.reach import tell_reach_by
        from social.erasing import erase_first

        tell_reach_by(tell_reach)
        put_down_by(note_opened)
        tell_also(seen_to_export)
        erase_first(erase_seen)
