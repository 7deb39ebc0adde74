"""The stack `llamaindex`."""

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(FOLDER.parent / "kit"))

from memform_kit import checks  # noqa: E402


class LlamaIndex(checks.Carrier):
    folder = FOLDER
    stack = "llamaindex"
