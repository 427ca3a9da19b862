"""The solitaire rules, sentence by sentence, and the recorded positions."""
