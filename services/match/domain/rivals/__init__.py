"""What a Rivals round decides: several seats on one deal, clocks, round scores. Pure, like all the domain."""
