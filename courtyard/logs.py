"""What the log shows by default: what somebody who runs the site should look at."""

import logging


class ClientErrorsAsInfo(logging.Filter):
    """Answers of 4xx are the client's doing: INFO, where Django says WARNING or, of a host that is not ours, ERROR
    with a traceback. 5xx stay, with theirs."""

    def filter(self, record: logging.LogRecord) -> bool:
        if 400 <= getattr(record, "status_code", 500) < 500:
            record.levelno, record.levelname, record.exc_info = logging.INFO, "INFO", None
        return record.levelno >= logging.getLogger().level
