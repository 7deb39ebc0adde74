"""The LLMs: LlamaIndex's OpenAILike on one HTTP client that speaks only to the gateway."""

import json
from typing import Any

import httpx
from llama_index.llms.openai_like import OpenAILike
from memform_kit.stack import Gateway, Unsupported
from memform_kit.transport import Attributed, Lanes, Refusing
from openai import AsyncOpenAI, DefaultAsyncHttpxClient, DefaultHttpxClient, OpenAI, omit

# LlamaIndex goes by the model's name: "gpt-5…" and "o3…" turn `system` into `developer` and force the temperature to
# 1.0, others are refused. So it is told a name it does not know, and the real one goes in as a keyword, which wins.
NEUTRAL_NAME = "memform"
PARAMS = ("temperature", "top_p", "max_tokens", "seed", "stop", "reasoning_effort")
MAX_MODELS = 64


class Transport(Attributed, httpx.AsyncBaseTransport):
    """Names the operation in each request and refuses any other server."""


class NoTransport(Refusing, httpx.BaseTransport):
    """Refuses blocking requests."""


class Models:
    """Hands out one OpenAILike for each model and parameters. They hold settings and no texts."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        http = DefaultAsyncHttpxClient(transport=Transport(Lanes(_lane), gateway.url), trust_env=False)
        no_http = DefaultHttpxClient(transport=NoTransport(), trust_env=False)
        # The LLM class itself can have no timeout of None.
        where: dict[str, Any] = {"base_url": gateway.url, "api_key": gateway.token, "max_retries": 0, "timeout": None}
        self._client = AsyncOpenAI(http_client=http, **where)
        self._no_client = OpenAI(http_client=no_http, **where)
        self._models: dict[str, OpenAILike] = {}

    def get(self, model: str, params: dict[str, Any]) -> OpenAILike:
        """The LLM for these parameters of the Chat Completions API."""
        if unknown := sorted(set(params) - set(PARAMS)):
            raise Unsupported(f"params {', '.join(unknown)}: OpenAILike is given {', '.join(PARAMS)}")
        key = json.dumps([model, params], sort_keys=True)
        if key not in self._models:
            if len(self._models) >= MAX_MODELS:
                self._models.clear()
            self._models[key] = self._make(model, params)
        return self._models[key]

    def _make(self, model: str, params: dict[str, Any]) -> OpenAILike:
        # Unasked, OpenAILike sends a temperature of 0.1; `omit` takes it out again.
        body = {"temperature": omit} | params | {"model": model}
        return OpenAILike(
            model=NEUTRAL_NAME,
            additional_kwargs=body,
            is_chat_model=True,
            is_function_calling_model=False,
            api_base=self._gateway.url,
            api_key=self._gateway.token,
            async_openai_client=self._client,
            openai_client=self._no_client,
            max_retries=0,
            reuse_client=True,
        )


def _lane() -> httpx.AsyncHTTPTransport:
    return httpx.AsyncHTTPTransport(verify=False, trust_env=False, limits=httpx.Limits(max_connections=1))
