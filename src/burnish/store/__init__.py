"""Storage that survives a crash: paths, atomic files, the lock, the journal, exports, redaction."""
