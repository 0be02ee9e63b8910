"""What the rules of grammar look at: doubled words, marks, capitals, spelling, agreement."""
