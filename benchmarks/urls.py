"""Courtyard's addresses and those of the views it is compared with."""

from django.urls import include, path

from benchmarks.views import Constant, empty

urlpatterns = [
    path("benchmark/empty", empty),
    path("benchmark/constant", Constant.as_view()),
    path("", include("courtyard.urls")),
]
