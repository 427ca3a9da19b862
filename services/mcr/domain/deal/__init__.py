"""One deal of a table: a pure decider. `decide` judges, `settle` says what is due, `evolve` folds."""
