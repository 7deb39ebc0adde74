"""What every Python adapter of memform needs and no memory library offers.

An adapter says which stacks it has and how each answers an operation; the kit
speaks the protocol (adapters/PROTOCOL.md) around it: lines, many operations at
once, cancelling, attribution of every request, repeatable ids. It knows no
library and needs nothing beyond Python itself.

Entry point: `serve`.
"""

from memform_kit.requests import Complete, Form, Message
from memform_kit.server import serve
from memform_kit.stack import Gateway, Stack, Unsupported

__all__ = ["Complete", "Form", "Gateway", "Message", "Stack", "Unsupported", "serve"]
