"""What Burnish knows about languages: one module for each subject, with its data files."""
