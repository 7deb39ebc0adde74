"""The stack `langmem`: langmem's memory manager, one call for each record, its own prompts and tools."""

from importlib.metadata import version

from langchain_core.messages import HumanMessage
from langmem import create_memory_manager
from langmem.knowledge.extraction import ExtractedMemory
from memform_kit import operation
from memform_kit.requests import Complete, Form
from memform_kit.stack import Gateway, Unsupported

from memform_langchain.client import Models


class MemorySystem:
    """Gives records one after the other to a memory manager with the library's defaults."""

    version = version("langmem")
    capabilities = ("form",)
    deterministic = True
    loggers = ("extraction", "langmem")  # "extraction" is the logger of trustcall

    def __init__(self, gateway: Gateway) -> None:
        self._models = Models(gateway)

    async def form(self, request: Form) -> str:
        manager = create_memory_manager(self._models.get(request.model, request.params))
        existing: list[ExtractedMemory] = []
        created: dict[str, int] = {}  # memory id → its place in the order of creation
        for number, record in enumerate(request.records, 1):
            before = dict(existing)
            existing = await manager.ainvoke({"messages": [HumanMessage(content=record)], "existing": existing})
            for memory in existing:
                created.setdefault(memory.id, len(created))
            if dict(existing) == before:
                _unchanged(number, len(request.records))
        existing.sort(key=lambda memory: created[memory.id])
        return "\n".join(memory.content.content for memory in existing)

    async def complete(self, request: Complete) -> str:
        raise Unsupported("langmem is a memory system: it forms; the carrier of this adapter is langchain")


def _unchanged(number: int, total: int) -> None:
    """Say which record left no trace: the library says nothing then."""
    if (op := operation.current()) is not None:
        op.warn(f"record {number} of {total} left the memory unchanged")


def open_stack(gateway: Gateway) -> MemorySystem:
    """The stack, opened on the running event loop."""
    return MemorySystem(gateway)
