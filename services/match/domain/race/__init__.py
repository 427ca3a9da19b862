"""What a race decides: everybody alone on the same deal, for time. Pure, like all the domain."""
