"""Addresses of the pages about people (a cook's own page is in posts/urls_pages.py, for its menus)."""

from django.urls import path

from social import pages

urlpatterns = [
    path("cooks/", pages.cooks, name="cooks"),
    path("sign-up", pages.sign_up, name="sign-up"),
    path("sign-in", pages.sign_in, name="sign-in"),
    path("sign-out", pages.sign_out, name="sign-out"),
    path("@<str:username>/follow", pages.follow, name="follow"),
    path("@<str:username>/unfollow", pages.unfollow, name="unfollow"),
]
