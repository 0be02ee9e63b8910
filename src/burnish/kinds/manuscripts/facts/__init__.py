"""Facts that a translation must keep: numbers, dates, units, names, negations. One linear reading for each."""
