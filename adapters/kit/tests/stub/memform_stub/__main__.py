"""Starts the stub."""

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1]
sys.path.append(str(FOLDER.parents[1]))

from memform_kit.server import Adapter, serve  # noqa: E402

if __name__ == "__main__":
    serve(Adapter("stub", "1", FOLDER, {"stub": "memform_stub.stack", "broken": "memform_stub.broken"}))
