"""Mahjong Competition Rules: hands, how they are read, the 81 fans, what a hand scores and waits for.

`score.score` gives the best score of a complete hand, `shanten.shanten` how far another is from complete.
"""
