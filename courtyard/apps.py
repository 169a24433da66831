from django.apps import AppConfig


class CourtyardConfig(AppConfig):
    name = "courtyard"
    verbose_name = "Courtyard"

    def ready(self) -> None:
        from courtyard.celery import app  # noqa: F401  the tasks' application, wherever Django is set up
