"""The web server's entry. Only here do processes refresh the overlay in the background."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "courtyard.settings")

application = get_wsgi_application()

from feeds.refresher import enable_refresher  # noqa: E402  needs Django set up

enable_refresher()
