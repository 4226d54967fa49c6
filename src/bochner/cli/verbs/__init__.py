"""One module for each verb, or for verbs of a kind."""
