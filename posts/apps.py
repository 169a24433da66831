from django.apps import AppConfig


class PostsConfig(AppConfig):
    name = "posts"
    verbose_name = "Menus"

    def ready(self) -> None:
        from posts.erasing import STEPS
        from posts.media.avatars import prepare_avatar
        from social.erasing import erase_first
        from social.services.avatars import prepare_avatars_by

        erase_first(*STEPS)
        prepare_avatars_by(prepare_avatar)
