"""Series: a calendar rule with the terms of its occurrences, a stream of its own: a pure decider."""
