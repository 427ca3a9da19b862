"""The solver kernel: the answers of `libs.rules.solitaire.solver`, much faster where it is built."""

from libs.kernel.front import available_pairs, crucial, hint, native, preserving_pairs, solve

__all__ = ["available_pairs", "crucial", "hint", "native", "preserving_pairs", "solve"]
