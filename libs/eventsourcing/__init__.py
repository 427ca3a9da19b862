"""The pure part of event sourcing: deciders, envelopes, ids. No clock, no randomness, no I/O."""
