"""The stack `langchain`: memform's prompts, carried by LangChain's messages, message state and client."""

from importlib.metadata import version
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langgraph.graph.message import add_messages
from memform_kit.requests import Complete, Form
from memform_kit.stack import Gateway, Unsupported

from memform_langchain.client import Models

CLASSES: dict[str, type[BaseMessage]] = {"system": SystemMessage, "user": HumanMessage, "assistant": AIMessage}


class Carrier:
    """Sends given messages once, through a message state of the operation's own, kept as LangGraph keeps it."""

    version = version("langchain-core")
    capabilities = ("complete",)
    deterministic = True
    loggers = ("langchain_core", "langchain_openai")

    def __init__(self, gateway: Gateway) -> None:
        self._models = Models(gateway)

    async def complete(self, request: Complete) -> str:
        history: Any = []
        for message in request.messages:
            entry: Any = CLASSES[message.role](content=message.content)
            history = add_messages(history, entry)
        answer = await self._models.get(request.model, request.params).ainvoke(history)
        return answer.text

    async def form(self, request: Form) -> str:
        raise Unsupported("langchain is a carrier: it completes; the memory system of this adapter is langmem")


def open_stack(gateway: Gateway) -> Carrier:
    """The stack, opened on the running event loop."""
    return Carrier(gateway)
