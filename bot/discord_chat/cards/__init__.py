"""Cards: what people decide about, with buttons that outlive the process (CMD-2)."""
