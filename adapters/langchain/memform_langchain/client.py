"""The chat models: LangChain's ChatOpenAI on one HTTP client that speaks only to the gateway."""

import json
from typing import Any

import httpx2
from langchain_openai import ChatOpenAI
from memform_kit.stack import Gateway, Unsupported
from memform_kit.transport import Attributed, Lanes, Refusing
from openai import DefaultAsyncHttpxClient, DefaultHttpxClient
from pydantic import SecretStr

# LangChain goes by the model's name: "o1…" turns `system` into `developer`, "gpt-5…" drops the temperature, others
# leave Chat Completions. So it is told a name it does not know, and the real one goes into the body.
NEUTRAL_NAME = "memform"
PARAMS = ("temperature", "top_p", "max_tokens", "seed", "stop", "reasoning_effort")
MAX_MODELS = 64


class Transport(Attributed, httpx2.AsyncBaseTransport):
    """Names the operation in each request and refuses any other server."""


class NoTransport(Refusing, httpx2.BaseTransport):
    """Refuses blocking requests."""


class Models:
    """Hands out one ChatOpenAI for each model and parameters. They hold settings and no texts."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        transport = Transport(Lanes(_lane), gateway.url)
        self._client = DefaultAsyncHttpxClient(transport=transport, trust_env=False, timeout=None)
        self._no_client = DefaultHttpxClient(transport=NoTransport(), trust_env=False)
        self._models: dict[str, ChatOpenAI] = {}

    def get(self, model: str, params: dict[str, Any]) -> ChatOpenAI:
        """The chat model for these parameters of the Chat Completions API."""
        if unknown := sorted(set(params) - set(PARAMS)):
            raise Unsupported(f"params {', '.join(unknown)}: ChatOpenAI is given {', '.join(PARAMS)}")
        key = json.dumps([model, params], sort_keys=True)
        if key not in self._models:
            if len(self._models) >= MAX_MODELS:
                self._models.clear()
            self._models[key] = self._make(model, params)
        return self._models[key]

    def _make(self, model: str, params: dict[str, Any]) -> ChatOpenAI:
        return ChatOpenAI(
            model=NEUTRAL_NAME,
            extra_body={"model": model},
            base_url=self._gateway.url,
            api_key=SecretStr(self._gateway.token),
            http_async_client=self._client,
            http_client=self._no_client,
            http_socket_options=(),  # for clients of its own; left out, it warns of proxies
            max_retries=0,
            timeout=None,
            use_responses_api=False,
            streaming=False,
            disable_streaming=True,
            **params,
        )


def _lane() -> httpx2.AsyncHTTPTransport:
    return httpx2.AsyncHTTPTransport(verify=False, trust_env=False, limits=httpx2.Limits(max_connections=1))
