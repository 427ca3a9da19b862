"""`sparrow tables`: MCR tables that have closed, listed and told again."""
