"""Fair play for an operator: figures, flags, reports."""
