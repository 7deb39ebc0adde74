"""The stack `llamaindex-facts`: LlamaIndex's fact block, one call for each record, its own prompts."""

from importlib.metadata import version

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.memory import FactExtractionMemoryBlock
from memform_kit import operation
from memform_kit.requests import Complete, Form
from memform_kit.stack import Gateway, Unsupported

from memform_llamaindex.client import Models


class MemorySystem:
    """Puts records one after the other into a fact block with the library's defaults.

    Not through the library's Memory: that gives the block only what its token
    limit pushes out, and always keeps the last message to itself.
    """

    version = version("llama-index-core")
    capabilities = ("form",)
    deterministic = True
    loggers = ("llama_index",)

    def __init__(self, gateway: Gateway) -> None:
        self._models = Models(gateway)

    async def form(self, request: Form) -> str:
        block = FactExtractionMemoryBlock(llm=self._models.get(request.model, request.params))
        for number, record in enumerate(request.records, 1):
            before = list(block.facts)
            await block.aput([ChatMessage(role=MessageRole.USER, content=record)])
            if block.facts == before:
                _unchanged(number, len(request.records))
        return await block.aget()

    async def complete(self, request: Complete) -> str:
        raise Unsupported("llamaindex-facts is a memory system: it forms; the carrier here is llamaindex")


def _unchanged(number: int, total: int) -> None:
    """Say which record left no trace: the library says nothing then."""
    if (op := operation.current()) is not None:
        op.warn(f"record {number} of {total} left the memory unchanged")


def open_stack(gateway: Gateway) -> MemorySystem:
    """The stack, opened on the running event loop."""
    return MemorySystem(gateway)
