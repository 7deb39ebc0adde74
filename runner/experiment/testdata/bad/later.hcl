run "later" {
  models = [model.simulated]
  cases  = [cases.mcq]
  stack  = "langchain" # ERROR: stack = "langchain" is not available in this version
}
