"""Models: one gateway, one retry loop, one budget; every reply is committed before it is read."""
