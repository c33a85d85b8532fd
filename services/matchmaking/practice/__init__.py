"""Practice matches: two to ten versions that an author has chosen play each other."""
