"""Pages for people: incidents, events, and what explains them."""
