defense "words" {
  method = "keyword_filter"
}

run "guarded" {
  models      = [model.simulated, model.agent]
  cases       = [cases.mcq]
  p5_updaters = ["full_rewrite"]
  defenses    = [defense.words]
}

comparison "empty" { # ERROR: a comparison needs metric; Add metric = "asr". # ERROR: a comparison needs baseline # ERROR: a comparison needs over
}

comparison "typo" {
  metric   = "ars"   # ERROR: metric cannot be "ars"; Did you mean "asr"?
  baseline = "wordes" # ERROR: no defense of a run is called "wordes"; Did you mean "words"?
  over     = "defense"
}

comparison "models" {
  metric   = "acc"
  baseline = "none" # ERROR: no model of a run is called "none"; Possible: simulated, agent.
  over     = "model"
}

comparison "updaters" {
  metric   = "acc"
  baseline = "full_rewrite"
  over     = "updater"
}

comparison "stacks" {
  metric   = "asr"
  baseline = "native"
  over     = "stack" # ERROR: nothing is compared over stack; The runs have native alone. Give a run more stack
}

comparison "stacks" { # ERROR: comparison "stacks" is declared twice; testdata/bad/comparisons.hcl:33:1
  metric   = "asr"
  baseline = "none"
  over     = "defense"
}

comparison "what" {
  metric   = "asr"
  baseline = "none"
  over     = "defence" # ERROR: over cannot be "defence"; Did you mean "defense"?
}

dynamic "comparison" { # ERROR: a comparison cannot be dynamic
  for_each = [1]
  content {}
}
