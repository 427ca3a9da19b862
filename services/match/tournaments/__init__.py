"""Tables of tournaments: rounds of the Rivals family that a tournament begins and cuts."""
