"""The database behind the ports of `sessions`: SQLAlchemy types stay inside this folder and its likes."""
