"""The Celery workers: they are woken, claim, fetch, play and report.

Owns: a cache of programs in its data folder. Holds no database password.
Calls: the tournament service (ClaimNext, RenewLease, SubmitBlock, Advance) and the registry
(ClaimValidation, RenewValidation, UploadBuild, SubmitValidation, GetArtifact).
Called by: nobody; the broker's messages only say that there is something to claim.
"""
