"""Knowledge in the database."""
