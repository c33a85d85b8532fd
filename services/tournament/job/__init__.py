"""Contests that are no tournaments, for the arena's other services: proto/maumau/v1/job.proto."""
