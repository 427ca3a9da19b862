"""Pool (source 003): a pure decider. `decide` judges, `settle` says what is due, `evolve` folds."""
