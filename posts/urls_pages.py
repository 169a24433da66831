"""Addresses of the pages about menus."""

from django.urls import path

from posts import pages

urlpatterns = [
    path("menus/new", pages.new_menu, name="new-menu"),
    path("menus/<int:post_id>", pages.menu, name="menu"),
    path("menus/<int:post_id>/delete", pages.delete_menu, name="delete-menu"),
    path("@<str:username>", pages.profile, name="profile"),
]
