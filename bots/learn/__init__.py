"""What the guide for authors of bots is made of: code that the tests run, a live position, figures of the arena."""
