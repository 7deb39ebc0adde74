defense "judge" { # ERROR: block defense is not available in this version
  method = "no such method"
  what   = model.nobody
}

comparison "x" { # ERROR: block comparison is not available in this version
}

dynamic "defense" { # ERROR: block defense is not available in this version
  for_each = nothing
  content {}
}

run "later" {
  models             = [model.simulated]
  cases              = [cases.mcq]
  stack              = "langchain"     # ERROR: stack = "langchain" is not available in this version
  defenses           = [defense.judge] # ERROR: attribute defenses is not available in this version
  defense_conditions = 1               # ERROR: attribute defense_conditions is not available in this version
  undefended         = "x.jsonl"       # ERROR: attribute undefended is not available in this version
  target_alignment   = model.nobody    # ERROR: attribute target_alignment is not available in this version
  freeform {                           # ERROR: block freeform is not available in this version
    parser = model.nobody
  }
}
