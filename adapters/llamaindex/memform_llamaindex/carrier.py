"""The stack `llamaindex`: memform's prompts, carried by LlamaIndex's messages, chat store and LLM class."""

from importlib.metadata import version

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.storage.chat_store import SimpleChatStore
from memform_kit.requests import Complete, Form
from memform_kit.stack import Gateway, Unsupported

from memform_llamaindex.client import Models

KEY = "conversation"


class Carrier:
    """Sends given messages once, through a chat store of the operation's own."""

    version = version("llama-index-core")
    capabilities = ("complete",)
    deterministic = True
    loggers = ("llama_index",)

    def __init__(self, gateway: Gateway) -> None:
        self._models = Models(gateway)

    async def complete(self, request: Complete) -> str:
        # Not the library's Memory: it cuts by a token count and moves what it cuts into a new system message.
        store = SimpleChatStore()
        for message in request.messages:
            await store.async_add_message(KEY, ChatMessage(role=MessageRole(message.role), content=message.content))
        answer = await self._models.get(request.model, request.params).achat(await store.aget_messages(KEY))
        return answer.message.content or ""

    async def form(self, request: Form) -> str:
        raise Unsupported("llamaindex is a carrier: it completes; the memory system here is llamaindex-facts")


def open_stack(gateway: Gateway) -> Carrier:
    """The stack, opened on the running event loop."""
    return Carrier(gateway)
