"""All that is known of languages: one module a subject, with data files."""
