"""The account service while what it stands on is away."""
