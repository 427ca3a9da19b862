"""What play looks like in figures, and which figures no person could bring about. None of it is a result."""
