variable "a" {
  type    = nubmer # ERROR: no type "nubmer"; Did you mean "number"?
  default = 1
}

variable "b" {
  type    = number
  default = "many" # ERROR: the default is not a number
}

variable "c" {
  default = var.b # ERROR: a default cannot refer to anything
}

variable "d" { # ERROR: variable "d" has no value; --var d=
  type = string
}

variable "e" {
  default = env("HOME") # ERROR: Error in function call; written into results
}

variable "f" { # ERROR: variable "f" cannot be recorded
  default = 9007199254740993
}

variable "b" { # ERROR: variable "b" is declared twice; testdata/bad/variables.hcl:6:1
  default = 2
}

dynamic "variable" { # ERROR: a variable cannot be dynamic
  for_each = [1]
  content {}
}

# Variables with mistakes give no second error where they are used.
cases "c" {
  path     = "cases.jsonl"
  families = var.b + var.a
}
