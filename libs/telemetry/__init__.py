"""How Sparrow is watched: lines of the log, figures, traces. Each may be off, and then costs nothing."""
