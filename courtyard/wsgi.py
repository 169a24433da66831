"""The web server's entry. Only here do processes refresh the overlay in the background."""

from django.core.wsgi import get_wsgi_application

from courtyard.starting import read_settings

read_settings()
application = get_wsgi_application()

from feeds.refresher import enable_refresher  # noqa: E402  needs Django set up

enable_refresher()
