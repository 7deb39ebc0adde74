# A text that the evaluator would change.
cases "a" {
  path = "cases.jsonl"
}

model "e" {
  endpoint         = endpoint.openai
  id               = "café"       # WARNING: this text is changed to Unicode NFC; prompts are read as bytes
  reasoning_effort = "\u0065\u0301" # WARNING: this text is changed to Unicode NFC
}
