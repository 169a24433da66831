from django.apps import AppConfig


class FeedsConfig(AppConfig):
    name = "feeds"
    verbose_name = "Feeds"

    def ready(self) -> None:
        from feeds import checks, signals  # noqa: F401
        from feeds.reach import tell_reach
        from posts.reach import tell_reach_by

        tell_reach_by(tell_reach)
