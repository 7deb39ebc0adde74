"""Which versions are installed, by the names of the lock."""

import re
from importlib import metadata
from pathlib import Path

_PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==", re.MULTILINE)


def installed(lock: Path) -> dict[str, str]:
    """The installed version of each package that the lock names; those not installed are left out."""
    versions = {}
    for name in _PIN.findall(lock.read_text(encoding="utf-8")):
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return versions
