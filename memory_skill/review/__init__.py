"""What a person sees of the changes that wait: the terminal review and the HTML page."""
