defense "none" { # ERROR: a defense cannot be called "none"; Choose another name
  method = "keyword_filter"
}

defense "what" { # ERROR: a defense needs method; Add method = "keyword_filter".
  model = model.simulated
}

defense "typo" {
  method = "llm_jugde" # ERROR: method cannot be "llm_jugde"; Did you mean "llm_judge"?
}

defense "words" {
  method    = "keyword_filter"
  model     = model.simulated # ERROR: keyword_filter has no use for model; Remove it; model goes with llm_judge
  keep_from = 0.5             # ERROR: keyword_filter has no use for keep_from; goes with memory_sanitization, all
}

defense "asked" { # ERROR: llm_judge needs model; Add model = model.name
  method       = "llm_judge"
  reject_below = 0.2 # ERROR: llm_judge has no use for reject_below
}

defense "shield" {
  method  = "task_shield"
  model   = model.simulatde # ERROR: no model named "simulatde"; Did you mean model.simulated?
  epsilon = -0.1            # ERROR: epsilon must be a number of at least 0; This is -0.1.
}

defense "narrow" {
  method       = "memory_sanitization"
  model        = model.simulated
  keep_from    = 0.4 # ERROR: keep_from must be greater than reject_below; Here they are 0.4 and 0.5
  reject_below = 0.5
}

defense "default" {
  method       = "memory_sanitization"
  model        = model.simulated
  reject_below = 0.7 # ERROR: keep_from must be greater than reject_below; Here they are 0.7 and 0.7
}

defense "beyond" {
  method    = "memory_sanitization"
  model     = model.simulated
  keep_from = 1.5 # ERROR: keep_from must be a number from 0 to 1
}

defense "llm_judge" {
  method = "llm_judge"
  model  = model.simulated
}

defense "five" {
  method = "all"
  model  = model.simulated
}

defense "dear" {
  method = "llm_judge"
  model  = model.agent
}

run "twice" {
  models   = [model.simulated]
  cases    = [cases.mcq]
  defenses = [defense.five, defense.llm_judge] # ERROR: two defenses of run "twice" are called llm_judge; They are declared at testdata/bad/defenses.hcl:54:1 and at testdata/bad/defenses.hcl:49:1
}

run "alone" {
  models             = [model.simulated]
  cases              = [cases.mcq]
  defense_conditions = ["raw_clean"]  # ERROR: defense_conditions goes with defenses alone; Add defenses
  undefended         = "cases.jsonl"  # ERROR: undefended goes with defenses alone
}

run "values" {
  models             = [model.simulated]
  cases              = [cases.mcq]
  defenses           = [defense.fiv, "five"]        # ERROR: no defense named "fiv"; Did you mean defense.five?
  defense_conditions = ["learned_clean", "raw_clen"] # ERROR: cannot be "learned_clean"; Possible: learned_full # ERROR: cannot be "raw_clen"; Did you mean "raw_clean"?
  undefended         = "none/case_results.jsonl"    # ERROR: cannot read "none/case_results.jsonl": no such file; memform run writes it
  target_alignment   = [model.simulated]            # ERROR: target_alignment must be a reference to a model; This is a list
}

run "measured" {
  models             = [model.simulated]
  cases              = [cases.mcq]
  phases             = ["oracle"] # ERROR: defenses need the phase learned; Add "learned", or name another run
  defenses           = [defense.five]
  defense_conditions = ["learned_order"] # ERROR: learned_order needs p5_random_orders
}

run "elsewhere" {
  models     = [model.simulated]
  cases      = [cases.mcq]
  phases     = ["oracle"]
  defenses   = [defense.five]
  undefended = "cases.jsonl"
}

run "guarded" {
  models   = [model.simulated]
  cases    = [cases.mcq]
  defenses = [defense.dear]
  max_cost = 1 # ERROR: max_cost needs a price for model.agent
}

run "aligned" {
  models           = [model.simulated]
  cases            = [cases.mcq]
  target_alignment = model.agent
  max_cost         = 1 # ERROR: max_cost needs a price for model.agent
}
