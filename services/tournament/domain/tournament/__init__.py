"""One tournament, a stream of its own: registration, rounds, standing, prizes: a pure decider."""
