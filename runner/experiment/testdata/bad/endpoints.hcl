endpoint "a" {
  base_url = "api.openai.com/v1" # ERROR: base_url has no scheme; Did you mean "https://api.openai.com/v1"?
  timeout  = 120                 # ERROR: timeout must be a duration; Write "120s"
}

endpoint "b" {
  base_url = "localhost:8000/v1" # ERROR: base_url has no scheme; Did you mean "http://localhost:8000/v1"?
  timeout  = "120"               # ERROR: timeout cannot be "120"; Did you mean "120s"?
}

endpoint "c" {
  base_url = "https://user:SECRET@example.org/v1" # ERROR: base_url has a user, a query or a fragment
  timeout  = "-1s"                                # ERROR: timeout cannot be "-1s"
}

endpoint "d" {
  base_url            = "https://example.org/v1?key=SECRET" # ERROR: base_url has a user, a query or a fragment
  api_key_env         = "sk-SECRET-000000"                  # ERROR: api_key_env is not the name of an environment variable; revoke it
  requests_per_minute = 0                                   # ERROR: requests_per_minute must be a whole number of at least 1
}

endpoint "e" {
  base_url    = "https://example.org/v1//v1/"   # ERROR: base_url has /v1 twice; Did you mean "https://example.org/v1"?
  api_key_env = "gsk_SECRETabcdefghij0123456789" # ERROR: api_key_env is not the name of an environment variable
}

endpoint "f" {
  base_url = "ftp://example.org" # ERROR: base_url cannot have the scheme "ftp"
  api_key  = "SECRET"            # ERROR: an endpoint has no attribute "api_key"; Did you mean "api_key_env"?
}

endpoint "g" {
  base_url = "https://example.org/v1/chat/completions" # ERROR: base_url goes too far; Did you mean "https://example.org/v1"?
  identity = ""                                        # ERROR: identity is empty
}

endpoint "h" {
  base_url    = "https:///v1" # ERROR: base_url is not a URL
  key_headers = "perhaps"     # ERROR: key_headers must be true or false
}

endpoint "i" { # ERROR: an endpoint needs base_url
  headers = { Authorization = "Bearer SECRETSECRET" } # ERROR: header Authorization cannot be set here
}

endpoint "j" {
  base_url = "https://example.org"
  headers  = { "X A" = "1", "x-b" = "1", "X-B" = "2" } # ERROR: "X A" is not the name of a header # ERROR: header X-B is given twice
}

endpoint "k" {
  base_url    = "https://example.org"
  key_headers = true
  headers     = { "X-Tok" = "sk-SECRET0123456" } # ERROR: header X-Tok looks like a key
}

endpoint "m" {
  base_url = "https://example.org"
  identity = "sk-SECRET0123456" # ERROR: identity looks like a key
}

endpoint "l" {
  base_url = env("NOT_SET_ANYWHERE") # ERROR: Invalid function argument; the environment variable NOT_SET_ANYWHERE is not set
}

endpoint "n" {
  base_url         = "https://example.openai.azure.com"
  kind             = "azure" # ERROR: an Azure endpoint needs api_version
  requests_per_day = []      # ERROR: requests_per_day must be a whole number of at least 1
}

endpoint "o" {
  base_url    = "https://example.openai.azure.com/openai/deployments/x" # ERROR: base_url goes too far; Did you mean "https://example.openai.azure.com"?
  kind        = "azure"
  api_version = "2024-10-21"
}

endpoint "p" {
  base_url    = "https://example.openai.azure.com"
  kind        = "azure"
  api_version = "2024-10-21&x=y" # ERROR: api_version has a form that no version has
}

endpoint "q" {
  base_url    = "https://example.org"
  api_version = "2024-10-21" # ERROR: api_version is for Azure alone
}

endpoint "r" {
  base_url    = "https://example.org"
  kind        = "azur" # ERROR: kind cannot be "azur"; Did you mean "azure"?
  api_version = []     # ERROR: api_version must be a text
}
