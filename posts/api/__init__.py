"""JSON: menus, photos and likes. Views are doors: validate, call a service, answer."""

from posts.api.media import Media
from posts.api.menus import AccountPosts, Likes, Posts, SinglePost

__all__ = ["AccountPosts", "Likes", "Media", "Posts", "SinglePost"]
