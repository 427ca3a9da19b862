"""Plain rows of the ledger: transfers and cancelled keys, balances, streaks of the daily bonus.

Order of locks, the same in every transaction: a streak, balance rows by (account, asset), transfer keys, the
request.
"""
