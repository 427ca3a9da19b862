"""What players are told, in their language: catalogues of texts, and the choice among them."""
