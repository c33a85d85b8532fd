"""What the tournament service says to workers, and of them: orders, leases, reports, the queue."""
