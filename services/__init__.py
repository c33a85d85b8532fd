"""The services of an arena, a package each; they meet through gRPC only."""
