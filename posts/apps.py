from django.apps import AppConfig


class PostsConfig(AppConfig):
    name = "posts"
    verbose_name = "Menus"

    def ready(self) -> None:
        from posts.erasing import STEPS
        from social.erasing import erase_first

        erase_first(*STEPS)
