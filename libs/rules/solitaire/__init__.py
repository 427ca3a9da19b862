"""Mahjong solitaire: boards, matching, moves, deals, levels and the exact solver that defines them.

A position is a `Layout`, one face for every tile of the whole deal, and `present`: an int whose bit t
is set while tile t is on the board.
"""
