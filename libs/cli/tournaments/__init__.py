"""`sparrow tournaments`: which there are, entering and watching them; creating and ending them.

`command` is for players, `operating` for operators. `laid_down` reads what a tournament is to be like from
options and files, `picture` shows tournaments to people, `documents` to programs.
"""
