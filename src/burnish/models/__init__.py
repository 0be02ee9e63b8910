"""Talking to models: one gateway, one retry loop, one budget; every reply committed before it is read."""
