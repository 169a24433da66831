"""Addresses of Today's menus."""

from django.urls import path

from feeds import ordering, pages, seeing

urlpatterns = [
    path("", pages.home, name="home"),
    path("order", ordering.order, name="order"),
    path("seen", seeing.seen, name="seen"),
]
