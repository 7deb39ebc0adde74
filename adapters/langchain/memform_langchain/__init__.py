"""LangChain under memform: `langchain`, a carrier, and `langmem`, a memory system.

Boundary: this package knows the libraries; memform_kit (adapters/kit) knows the
protocol. Entry point: `python -m memform_langchain`, started by memform.
"""

VERSION = "1"  # raise it when what is sent or returned changes, here and in the lock's first line
