"""The solitaire rules against their plain definitions, on random small boards."""
