"""The pages for who learns the game: positions found by the engine, a first game, and what both say."""
