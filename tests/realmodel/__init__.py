"""A small real model plays every role, through the real command line. It measures plumbing, not judgement."""
