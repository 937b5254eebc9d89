"""What language models used and how well they kept to the form, by the notes in the records."""
