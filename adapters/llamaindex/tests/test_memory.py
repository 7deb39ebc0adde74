"""The stack `llamaindex-facts`: the common checks, and what its block does with tags."""

import hashlib
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(FOLDER.parent / "kit"))

from memform_kit import checks  # noqa: E402
from memform_kit.testing import Answer, Body, always, text  # noqa: E402


def record(body: Body) -> str:
    """The record that the model is shown."""
    found: str = body["messages"][0]["content"]
    return found


def facts(*contents: str) -> Body:
    """An answer in the form that the block asks for."""
    return text("<facts>\n" + "\n".join(f"  <fact>{c}</fact>" for c in contents) + "\n</facts>")


class LlamaIndexFacts(checks.MemorySystem):
    folder = FOLDER
    stack = "llamaindex-facts"

    def answer(self, body: Body) -> Answer:
        digest = hashlib.sha256(record(body).encode()).hexdigest()[:8]
        return facts(f"fact {digest} é")

    def test_facts_are_exported_in_order_of_creation(self) -> None:
        result, seen = self.one("b", "a", "b", answer=lambda body: facts(f"{record(body)}1", f"{record(body)}2"))
        self.assertEqual(result["memory"], "\n".join(f"<fact>{f}</fact>" for f in ("b1", "b2", "a1", "a2")))
        self.assertIn(
            "<existing_facts>\n<fact>b1</fact>\n<fact>b2</fact>\n</existing_facts>",
            seen[1].body["messages"][1]["content"],
        )
        self.assertEqual(result["warnings"], ["record 3 of 3 left the memory unchanged"])

    def test_a_record_is_a_message_of_its_own(self) -> None:
        _, seen = self.one("x")
        self.assertEqual([m["role"] for m in seen[0].body["messages"]], ["user", "user"])
        self.assertEqual(record(seen[0].body), "x")

    def test_more_than_fifty_facts_cost_one_call_more(self) -> None:
        def answer(body: Body) -> Answer:
            condensing = "condensing system" in body["messages"][-1]["content"]
            return facts("condensed") if condensing else facts(*(f"fact {i}" for i in range(51)))

        result, _ = self.one("x", answer=answer)
        self.assertEqual((result["memory"], result["calls"]), ("<fact>condensed</fact>", 2))

    def test_facts_keep_their_text_but_for_outer_blanks(self) -> None:
        for content in checks.TEXTS:
            if "<fact>" in content:
                continue
            result, _ = self.one("x", answer=always(facts(content)))
            self.assertEqual(result["memory"], f"<fact>{content.strip()}</fact>")
