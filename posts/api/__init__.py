"""JSON: menus and likes. Views are doors: validate, call, answer."""

from posts.api.menus import AccountPosts, Likes, Posts, SinglePost

__all__ = ["AccountPosts", "Likes", "Posts", "SinglePost"]
