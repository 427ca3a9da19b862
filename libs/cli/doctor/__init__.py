"""`sparrow doctor`: says what is healthy. `checks` look, one at a time; `command` shows and sums up."""
