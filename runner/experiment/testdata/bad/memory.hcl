run "memory" {
  models      = [model.simulated]
  cases       = [cases.mcq]
  stack       = "langmem"
  p5_updaters = ["incremental_merge"] # ERROR: stack "langmem" has an updater of its own; Remove p5_updaters
}
run "carrier" {
  models      = [model.simulated]
  cases       = [cases.mcq]
  stack       = "langchain"
  p5_updaters = ["incremental_merge"]
}
run "near" {
  models = [model.simulated]
  cases  = [cases.mcq]
  stack  = "langchian" # ERROR: stack cannot be "langchian"; Did you mean "langchain"?
}
