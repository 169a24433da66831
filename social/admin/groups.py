"""Groups of staff, as Django shows them; only superusers change them, unless one gives that away."""

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin
from django.contrib.auth.models import Group

from social.staff.actions import StaffActions

admin.site.unregister(Group)


@admin.register(Group)
class StaffGroupAdmin(StaffActions, GroupAdmin):
    pass
