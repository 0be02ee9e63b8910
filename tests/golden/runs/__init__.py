"""Golden runs: whole runs of every kind through every door, recorded before the house was rebuilt."""
