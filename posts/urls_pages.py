"""Addresses of the pages about menus."""

from django.urls import path

from posts.pages import avatar, exporting, photos, pressing, reading, reporting, writing

urlpatterns = [
    path("menus/new", writing.new_menu, name="new-menu"),
    path("menus/<int:post_id>", reading.menu, name="menu"),
    path("menus/<int:post_id>/photos", photos.menu_photos, name="menu-photos"),
    path("menus/<int:post_id>/edit", writing.edit_menu, name="edit-menu"),
    path("menus/<int:post_id>/delete", writing.delete_menu, name="delete-menu"),
    path("menus/<int:post_id>/like", pressing.like, name="like"),
    path("menus/<int:post_id>/unlike", pressing.unlike, name="unlike"),
    path("menus/<int:post_id>/report", reporting.report, name="report-menu"),
    path("menus/<int:post_id>/dishes/<int:dish_id>/sold-out", pressing.sold_out, name="sold-out"),
    path("settings/picture", avatar.change, name="change-picture"),
    path("settings/picture/remove", avatar.remove, name="remove-picture"),
    path("settings/data", exporting.data, name="download-data"),
    path("@<str:username>", reading.profile, name="profile"),
]
