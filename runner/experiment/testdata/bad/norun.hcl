# ALONE
experiment "x" { # ERROR: no run block; Nothing would be run
}
