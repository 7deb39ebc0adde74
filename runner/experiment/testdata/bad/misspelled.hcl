# ALONE
# A misspelled block is one mistake: nothing is called missing because of it.
experimint "x" { # ERROR: no block type "experimint"; Did you mean "experiment"?
}

rnu "r" { # ERROR: no block type "rnu"; Did you mean "run"?
}
