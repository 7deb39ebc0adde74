cases "c" {
  path       = "cases.jsonl"
  interfaces = ["p4", "P4", "P4", "P9", 7, null, []] # ERROR: an element of interfaces cannot be "p4"; Did you mean "P4"? # ERROR: "P4" is in interfaces twice; Remove one. # ERROR: cannot be "P9"; Possible # ERROR: an element of interfaces cannot be "7"; Possible: P1, P2, P3, P4, P5. # ERROR: an element of interfaces must be one of; This is null # ERROR: an element of interfaces must be one of; This is a list
  families   = 2.5 # ERROR: families must be a whole number of at least 1; This is 2.5.
}

cases "d" {
  path     = "cases.josnl" # ERROR: cannot read "cases.josnl": no such file; leads to testdata/bad/cases.josnl
  families = 0             # ERROR: families must be a whole number of at least 1
}

cases "e" { # ERROR: a cases block needs path; Add path = 
}

cases "f" {
  path       = "../bad" # ERROR: "../bad" is a directory
  interfaces = []       # ERROR: interfaces is empty; Possible: P1
}

run "r" {
  models               = [model.simulated]
  cases                = [cases.mcq]
  phases               = ["lerned"]              # ERROR: cannot be "lerned"; Did you mean "learned"?
  p5_updaters          = ["full_rewrit"]         # ERROR: cannot be "full_rewrit"; Did you mean "full_rewrite"?
  p5_random_orders     = -1                      # ERROR: p5_random_orders must be a whole number from 0 to 10000; This is -1.
  replicates           = 0                       # ERROR: replicates must be a whole number from 1
  replicate_conditions = ["oracle_clean"]        # ERROR: cannot be "oracle_clean"
  choice_order         = "shufled"               # ERROR: choice_order cannot be "shufled"; Did you mean "shuffled"?
  p1_write             = "direkt"                # ERROR: p1_write cannot be "direkt"; Did you mean "direct"?
  max_cost             = -5                      # ERROR: max_cost must be a number of at least 0
  prompts              = { decide = "none.txt" } # ERROR: cannot read "none.txt": no such file
  stack                = "nativ"                 # ERROR: stack cannot be "nativ"; Did you mean "native"?
}
