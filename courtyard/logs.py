"""What the log shows by default: what somebody who runs the site should look at."""

import logging


class ClientErrorsAsInfo(logging.Filter):
    """Answers of 4xx are the client's doing: INFO, where Django says WARNING. 5xx stay, with their traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno == logging.WARNING and 400 <= getattr(record, "status_code", 500) < 500:
            record.levelno, record.levelname = logging.INFO, "INFO"
        return record.levelno >= logging.getLogger().level
