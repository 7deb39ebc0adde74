"""A library's own warnings, given to the operation that caused them.

Where a library drops what a model said it often says so in a log, and only
there. These lines become warnings of the result.
"""

import logging

from memform_kit import operation


class ToOperation(logging.Handler):
    """Gives each record of level WARNING or above to the current operation, else to stderr."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)

    def emit(self, record: logging.LogRecord) -> None:
        op = operation.current()
        if op is not None:
            op.warn(f"{record.name}: {record.getMessage()}")
        elif logging.lastResort is not None:
            logging.lastResort.handle(record)


def install(loggers: tuple[str, ...]) -> None:
    """Listen to these loggers and to all below them."""
    handler = ToOperation()
    for name in loggers:
        logging.getLogger(name).addHandler(handler)
