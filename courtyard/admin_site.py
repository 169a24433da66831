"""Staff's admin: Django's own, with our name on it and with pages that belong to no table."""

from django.contrib.admin import AdminSite
from django.contrib.admin.apps import AdminConfig
from django.urls import URLPattern, URLResolver


class StaffSite(AdminSite):
    site_header = site_title = "Courtyard staff"
    index_title = "What there is to look after"

    def get_urls(self) -> list[URLResolver | URLPattern]:
        from feeds.admin.urls import urlpatterns  # not before all models are loaded

        return [*urlpatterns, *super().get_urls()]


class StaffAdminConfig(AdminConfig):
    default_site = "courtyard.admin_site.StaffSite"
