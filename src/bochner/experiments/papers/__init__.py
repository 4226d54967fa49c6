"""One file an experiment: a subclass of ``Experiment`` here is found by its name."""
