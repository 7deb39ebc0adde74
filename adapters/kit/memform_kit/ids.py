"""Repeatable ids.

Some libraries put `uuid.uuid4()` into their prompts, which makes every request
new and no answer ever found again. Within an operation the ids are hashes of a
counter that starts at zero with each operation: the same operation gives the
same ids, and two operations with equal beginnings send equal beginnings.
"""

import hashlib
import uuid

from memform_kit import operation

_random = uuid.uuid4


def repeatable_uuid4() -> uuid.UUID:
    """The next id of the current operation; a random one outside of any."""
    op = operation.current()
    if op is None:
        return _random()
    digest = hashlib.sha256(b"memform uuid4\n%d" % next(op.serial)).digest()
    return uuid.UUID(bytes=digest[:16], version=4)


def install() -> None:
    """Replace uuid.uuid4. Call it before a library does `from uuid import uuid4`."""
    uuid.uuid4 = repeatable_uuid4
