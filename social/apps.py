from django.apps import AppConfig


class SocialConfig(AppConfig):
    name = "social"
    verbose_name = "Accounts and follows"

    def ready(self) -> None:
        from social import checks  # noqa: F401  it registers them
