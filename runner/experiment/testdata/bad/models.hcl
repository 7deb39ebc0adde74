model "none" { # ERROR: model "none" has neither endpoint nor simulated; simulated = {}
}

model "both" {
  endpoint  = endpoint.openai
  simulated = {} # ERROR: model "both" has both endpoint and simulated
}

model "noid" { # ERROR: model "noid" needs id
  endpoint = endpoint.openai
}

model "sim" {
  simulated = { competense = 0.9, susceptibility = 1.5 } # ERROR: simulated has no member "competense"; Did you mean "competence"? # ERROR: susceptibility of simulated must be a number from 0 to 1; This is 1.5.
  id        = "x"                                        # ERROR: a simulated model has no id
}

model "numbers" {
  endpoint         = endpoint.openai
  id               = ""               # ERROR: id is empty
  temperature      = 2.1              # ERROR: temperature must be a number from 0 to 2; This is 2.1.
  top_p            = "a"              # ERROR: top_p must be a number from 0 to 1; This is a text.
  max_tokens       = 0                # ERROR: max_tokens must be a whole number from 1
  max_tokens_field = "max_tokns"      # ERROR: max_tokens_field cannot be "max_tokns"; Did you mean "max_tokens"?
  seed             = 9007199254740993 # ERROR: seed is beyond ±2^53
  stop             = "x"              # ERROR: stop must be a list of texts; Write ["x"].
  price            = 3                # ERROR: price must be an object of input, output, cached_input; This is a number.
}

model "price" {
  endpoint = endpoint.openai
  id       = "x"
  price    = { input = -1 } # ERROR: input of price must be a number of at least 0 # ERROR: a price needs output
}

model "typo" {
  endpoint = endpoint.openai
  id       = "x"
  price    = { inptu = 1, output = 1 } # ERROR: price has no member "inptu"; Did you mean "input"?
}

run "cap" {
  models   = [model.simulated, model.agent]
  cases    = [cases.mcq]
  max_cost = 20 # ERROR: max_cost needs a price for model.agent; Add price
}

# A model whose price is wrong gives no second error here.
run "quiet" {
  models   = [model.typo, model.price]
  cases    = [cases.mcq]
  max_cost = 20
}
