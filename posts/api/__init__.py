"""JSON: menus, photos, likes and reports. Views are doors: validate, call a service, answer."""

from posts.api.media import Media
from posts.api.menus import AccountPosts, Likes, Posts, SinglePost
from posts.api.reports import Reports

__all__ = ["AccountPosts", "Likes", "Media", "Posts", "Reports", "SinglePost"]
