"""What is written under deploy/, held against the code that it deploys."""
