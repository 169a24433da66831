from feeds.admin import crossing, delivery, settings

__all__ = ["crossing", "delivery", "settings"]
