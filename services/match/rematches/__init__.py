"""Playing the same players again after a match: offers, answers, and how they begin."""
