"""What the rules of voice compare: questions, persons, forms of address, tenses."""
