"""Stands in for the web process: ready at once, and it can be told to misbehave."""

import os
from http.server import BaseHTTPRequestHandler, HTTPServer


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/readyz" else 404)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


HTTPServer((os.environ["HOST"], int(os.environ["PORT"])), Handler).serve_forever()
