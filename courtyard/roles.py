"""What staff may do who are no superusers: two groups, made once, by the first migrate that knows their permissions.

From then on a group is the superusers': what they change in it stays, later migrates included. A permission that a
later version brings is therefore in no group that exists already; docs/operations.md says which to add.
"""

from typing import Any

from django.apps import apps as today

VIEWERS, OPERATORS = "Staff viewers", "Staff operators"

# Everything that admin shows, and nothing else (tests/admin/test_roles.py compares it with what is registered).
VIEWER_PERMISSIONS = (
    "admin.view_logentry",
    "auth.view_group",
    "social.view_account",
    "social.view_follow",
    "social.view_followrequest",
    "social.view_block",
    "social.view_mute",
    "posts.view_post",
    "posts.view_dish",
    "posts.view_photo",
    "posts.view_report",
    "feeds.view_outbox",
    "feeds.view_pulledauthor",
    "feeds.view_crossing",
    "feeds.view_feedsettings",
    "feeds.view_rankingsettings",
    "feeds.view_settingschange",
)

# The feed's buttons, and moderation. Nothing is deleted: a menu that is hidden can be restored.
OPERATOR_PERMISSIONS = (
    *VIEWER_PERMISSIONS,
    "feeds.change_feedsettings",
    "feeds.change_rankingsettings",
    "feeds.retry_outbox",
    "feeds.verify_feeds",
    "feeds.rebuild_feeds",
    "posts.change_post",
    "posts.change_report",
    "social.change_account",
)

ROLES = {VIEWERS: VIEWER_PERMISSIONS, OPERATORS: OPERATOR_PERMISSIONS}


def make_roles(*, using: str, apps: Any = today, **signal: Any) -> None:
    """Make the groups that are not there; on post_migrate. `apps`: the models as they are after it; `flush`, which
    tells of no migration, means those of today."""
    try:
        groups, permissions = apps.get_model("auth", "Group"), apps.get_model("auth", "Permission")
    except LookupError:  # migrated back to before there were any
        return
    known = {
        f"{app}.{codename}": pk
        for app, codename, pk in permissions.objects.using(using).values_list(
            "content_type__app_label", "codename", "pk"
        )
    }
    for name, wanted in ROLES.items():
        # Half-way through the migrations some permissions are still to come; a group without them would stay so.
        if not known.keys() >= set(wanted):
            continue
        group, is_new = groups.objects.using(using).get_or_create(name=name)
        if is_new:
            group.permissions.set([known[permission] for permission in wanted])
