"""Addresses of the pages about people (a cook's own page is in posts/urls_pages.py, for its menus)."""

from django.urls import path

from social.pages import discover, email, passwords, people, relations, settings, signing, theme, welcome

urlpatterns = [
    path("cooks/", discover.cooks, name="cooks"),
    path("welcome/", welcome.welcome, name="welcome"),
    path("requests/", people.requests, name="requests"),
    path("requests/asking", people.asking, name="asking"),
    path("settings/", settings.settings, name="settings"),
    path("settings/email", email.email, name="change-email"),
    path("settings/password", settings.password, name="change-password"),
    path("settings/sign-out-everywhere", settings.everywhere, name="sign-out-everywhere"),
    path("settings/deactivate", settings.deactivate, name="deactivate"),
    path("settings/delete", settings.delete, name="delete-account"),
    path("theme", theme.theme, name="theme"),
    path("sign-up", signing.sign_up, name="sign-up"),
    path("sign-in", signing.sign_in, name="sign-in"),
    path("sign-out", signing.sign_out, name="sign-out"),
    path("password/", passwords.ask, name="ask-for-password"),
    path("password/asked", passwords.asked, name="password-asked"),
    path("password/<str:uidb64>/<str:token>", passwords.NewPassword.as_view(), name="new-password"),
    path("reactivate", signing.reactivate, name="reactivate"),
    path("@<str:username>/followers", people.followers, name="followers"),
    path("@<str:username>/following", people.following, name="following"),
    path("@<str:username>/follow", relations.follow, name="follow"),
    path("@<str:username>/unfollow", relations.unfollow, name="unfollow"),
    path("@<str:username>/mute", relations.mute, name="mute"),
    path("@<str:username>/unmute", relations.unmute, name="unmute"),
    path("@<str:username>/block", relations.block, name="block"),
    path("@<str:username>/unblock", relations.unblock, name="unblock"),
    path("@<str:username>/accept", relations.accept, name="accept"),
    path("@<str:username>/reject", relations.reject, name="reject"),
    path("@<str:username>/remove", relations.remove, name="remove-follower"),
]
