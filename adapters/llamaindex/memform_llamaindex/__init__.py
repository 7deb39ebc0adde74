"""LlamaIndex under memform: `llamaindex`, a carrier, and `llamaindex-facts`, a memory system.

Boundary: this package knows the library; memform_kit (adapters/kit) knows the
protocol. Entry point: `python -m memform_llamaindex`, started by memform.
"""

VERSION = "1"  # raise it when what is sent or returned changes, here and in the lock's first line
