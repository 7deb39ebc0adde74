"""Starts the adapter. The kit takes the standard streams before any library is imported."""

import sys
from pathlib import Path

from memform_llamaindex import VERSION

FOLDER = Path(__file__).resolve().parents[1]
sys.path.append(str(FOLDER.parent / "kit"))

from memform_kit.server import Adapter, serve  # noqa: E402

STACKS = {"llamaindex": "memform_llamaindex.carrier", "llamaindex-facts": "memform_llamaindex.memory"}

if __name__ == "__main__":
    serve(Adapter("llamaindex", VERSION, FOLDER, STACKS))
