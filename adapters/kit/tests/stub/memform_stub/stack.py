"""Does what each record says, one after the other, and remembers the rest."""

import asyncio
import logging
import os
import socket
import sys
import uuid

from memform_kit import Complete, Form, Gateway, Unsupported
from memform_kit.operation import current


class Stub:
    version = "0"
    capabilities = ("form",)
    deterministic = True
    loggers = ("stub",)

    async def complete(self, request: Complete) -> str:
        raise Unsupported("the stub only forms")

    async def form(self, request: Form) -> str:
        memory = []
        for record in request.records:
            memory.append(await obey(record))
        return "\n".join(text for text in memory if text)


async def obey(record: str) -> str:
    op = current()
    assert op is not None
    match record.split(" "):
        case ["sleep"]:
            await asyncio.sleep(1000)
        case ["stubborn"]:  # a library that does not let itself be cancelled
            for _ in range(3):
                try:
                    await asyncio.sleep(1000)
                except asyncio.CancelledError:
                    continue
        case ["pause", seconds]:
            await asyncio.sleep(float(seconds))
        case ["raise"]:
            raise IndexError("list index out of range")
        case ["swallowed"]:  # a library that makes nothing of a failure
            try:
                op.fail("HTTP 424 memform_failed: no")
                raise RuntimeError
            except Exception:
                return "nothing happened"
        case ["cancels"]:
            raise asyncio.CancelledError
        case ["print"]:
            print("this is no JSON")
            os.system("echo neither is this")
            sys.stdout.flush()
        case ["read"]:
            return f"read {len(sys.stdin.read())}"
        case ["connect", host]:
            try:
                socket.create_connection((host, 443), timeout=1)
            except OSError:
                return "went on without"
        case ["log"]:
            logging.getLogger("stub.deep").warning("two\nlines")
        case ["uuid"]:
            return await asyncio.create_task(fresh())
        case ["surrogate"]:
            return "a\ud800b"
        case ["long"]:
            return "x" * (65 << 20)
        case _:
            return record
    return ""


async def fresh() -> str:
    await asyncio.sleep(0)
    return str(uuid.uuid4())


def open_stack(gateway: Gateway) -> Stub:
    return Stub()
