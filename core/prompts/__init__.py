"""What a model is told before the first message: texts as data, and the one place that assembles them."""
