cases "a" {
  path       = joln("/", ["cases.jsonl"]) # ERROR: no function "joln"; Did you mean "join"?
  interfaces = split(",")                 # ERROR: Not enough function arguments
}

cases "b" {
  path       = "cases.jsonl"
  interfaces = jsondecode(file("nothing.json")) # ERROR: Invalid function argument; cannot read testdata/bad/nothing.json: no such file
  families   = max("a", 2)                      # ERROR: Invalid function argument
}

cases "c" {
  path     = "cases.jsonl"
  families = try(nothing.at.all) # ERROR: Error in function call; no expression succeeded
}
