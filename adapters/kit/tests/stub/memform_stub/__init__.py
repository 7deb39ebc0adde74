"""An adapter without a library: what its records say is what it does."""
