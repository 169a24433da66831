from django.apps import AppConfig


class SocialConfig(AppConfig):
    name = "social"
    verbose_name = "Accounts and follows"

    def ready(self) -> None:
        from social import checks, sessions  # noqa: F401  its receiver must hear the first sign-in
