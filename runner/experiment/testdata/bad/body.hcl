model "a" {
  endpoint    = endpoint.openai
  id          = "x"
  temperature = 0
  max_tokens  = 5
  extra_body = {
    messages    = []                        # ERROR: extra_body cannot hold "messages"
    stream      = true                      # ERROR: extra_body cannot hold "stream"
    n           = 2                         # ERROR: extra_body cannot hold "n"
    temperature = 1                         # ERROR: extra_body cannot hold "temperature"; The attribute temperature sets it too
    top_p       = 1
    max_tokens  = 5                         # ERROR: extra_body cannot hold "max_tokens"; Use the attribute: max_tokens.
    seed        = 1                         # ERROR: extra_body cannot hold "seed"; Use the attribute: seed.
  }
}

model "b" {
  endpoint   = endpoint.openai
  id         = "x"
  extra_body = { deep = { list = [1, 9007199254740993] }, big = 1e300 } # ERROR: a whole number beyond ±2^53 in extra_body # ERROR: a whole number beyond ±2^53 in extra_body
}

model "c" {
  endpoint   = endpoint.openai
  id         = "x"
  extra_body = { model_ref = endpoint.openai } # ERROR: a reference to an endpoint in extra_body; Only texts
}

model "d" {
  endpoint   = endpoint.openai
  id         = "x"
  extra_body = [1] # ERROR: extra_body must be an object; This is a list.
}
