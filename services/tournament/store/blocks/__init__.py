"""Tables of blocks: queue, claims, renewals, bookings, seatings, workers, audits."""
