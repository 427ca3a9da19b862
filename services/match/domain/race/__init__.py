"""What a race decides: everybody alone on the same deal, first come first placed. Pure, like all the domain."""
