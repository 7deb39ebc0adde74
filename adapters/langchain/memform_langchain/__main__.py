"""Starts the adapter. The kit takes the standard streams before any library is imported."""

import os
import sys
from pathlib import Path

from memform_langchain import VERSION

FOLDER = Path(__file__).resolve().parents[1]
sys.path.append(str(FOLDER.parent / "kit"))

from memform_kit.server import Adapter, serve  # noqa: E402

STACKS = {"langchain": "memform_langchain.carrier", "langmem": "memform_langchain.memory"}

if __name__ == "__main__":
    # Whatever the environment says: tracing would post every prompt to a server.
    os.environ |= {"LANGSMITH_TRACING": "false", "LANGCHAIN_TRACING_V2": "false"}
    serve(Adapter("langchain", VERSION, FOLDER, STACKS))
