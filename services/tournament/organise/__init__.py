"""What organisers and authors ask of tournaments: calls that change one, and what a change would come to."""
