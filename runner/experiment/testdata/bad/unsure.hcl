# What a run varies is not known where the attribute is wrong: a comparison
# over it gives no second error.
run "guarded" {
  models      = [model.nobody]     # ERROR: no model named "nobody"
  cases       = [cases.mcq]
  p5_updaters = ["full_rewrit"]    # ERROR: cannot be "full_rewrit"
  defenses    = [defense.nothing]  # ERROR: no defense named "nothing"
  stack       = "nativ"            # ERROR: stack cannot be "nativ"
}

comparison "defenses" {
  metric   = "asr"
  baseline = "some"
  over     = "defense"
}

comparison "models" {
  metric   = "asr"
  baseline = "some"
  over     = "model"
}

comparison "updaters" {
  metric   = "asr"
  baseline = "some"
  over     = "updater"
}

comparison "stacks" {
  metric   = "asr"
  baseline = "some"
  over     = "stack"
}
