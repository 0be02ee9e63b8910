"""Reviews: rows, anchors, scores, the gate, and what a rework is told."""
