# What a syntax error tore away is not called missing.
cases "b" {
  path: "cases.jsonl" # ERROR: Argument or block definition required
}

endpoint "e" {
  timeout = "5"       # ERROR: timeout cannot be "5"
}
