"""Addresses of the pages about menus."""

from django.urls import path

from posts.pages import pressing, reading, reporting, writing

urlpatterns = [
    path("menus/new", writing.new_menu, name="new-menu"),
    path("menus/<int:post_id>", reading.menu, name="menu"),
    path("menus/<int:post_id>/edit", writing.edit_menu, name="edit-menu"),
    path("menus/<int:post_id>/delete", writing.delete_menu, name="delete-menu"),
    path("menus/<int:post_id>/like", pressing.like, name="like"),
    path("menus/<int:post_id>/unlike", pressing.unlike, name="unlike"),
    path("menus/<int:post_id>/report", reporting.report, name="report-menu"),
    path("menus/<int:post_id>/dishes/<int:dish_id>/sold-out", pressing.sold_out, name="sold-out"),
    path("@<str:username>", reading.profile, name="profile"),
]
