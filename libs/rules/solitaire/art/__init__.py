"""The catalogue's drawings by what they show; the first eighteen stand in `catalogue_art`."""
