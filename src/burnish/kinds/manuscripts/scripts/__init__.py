"""Scripts of Tamazight: Latin and Tifinagh, by rules."""
