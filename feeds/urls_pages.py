"""The address of Today's menus."""

from django.urls import path

from feeds import pages

urlpatterns = [path("", pages.home, name="home")]
