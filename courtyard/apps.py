from django.apps import AppConfig, apps
from django.db.models.signals import post_migrate


class CourtyardConfig(AppConfig):
    name = "courtyard"
    verbose_name = "Courtyard"

    def ready(self) -> None:
        from courtyard.celery import app  # noqa: F401  the tasks' application, wherever Django is set up
        from courtyard.roles import make_roles

        # After the last app with models of its own: by then the permissions of all are there.
        post_migrate.connect(make_roles, sender=apps.get_app_config("feeds"))
