"""Addresses of staff's pages that belong to no table, within admin (courtyard/admin_site.py)."""

from django.urls import path

from feeds.admin import accounts, operations, rebuilding

urlpatterns = [
    path("feeds/accounts/<id:account_id>/", accounts.account_feed, name="account-feed"),
    path("feeds/accounts/<id:account_id>/compare/", accounts.compare, name="account-compare"),
    path("feeds/accounts/<id:account_id>/why/", accounts.why, name="account-why"),
    path("feeds/accounts/<id:account_id>/rebuild/", accounts.rebuild, name="account-rebuild"),
    path("feeds/operations/", operations.operations, name="operations"),
    path("feeds/rebuild/", rebuilding.rebuild_all, name="rebuild-all-feeds"),
]
