"""A sandbox's files: the image, runtimes, a program's own, and the cache of their copies."""
