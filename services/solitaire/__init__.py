"""The stateless engine: the catalogue of layouts, the deals of levels, full solves.

Owns no rows, no streams and no subjects.
"""
