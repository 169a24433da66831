from feeds.admin import crossing, delivery, ranking, settings

__all__ = ["crossing", "delivery", "ranking", "settings"]
