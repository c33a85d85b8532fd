"""The Celery workers: each is woken, claims, fetches, plays and reports.

A worker with MAUMAU_SEATS plays no blocks but seats of live tables, for house bots.

Owns: a cache of programs in its data folder. Holds no database password.
Calls: the tournament service (ClaimNext, RenewLease, SubmitBlock, Advance) and the registry
(ClaimValidation, RenewValidation, UploadBuild, SubmitValidation, GetArtifact).
Seats are claimed from the matchmaking service (ClaimSeat, RenewSeats) and played at the engine (Play).
Called by: no service; the broker's messages only say that there is something to claim.
"""
