"""What CONTRIBUTING says how to add, added."""
