"""One speech input from its first frame to its submission."""
