"""Ladders and practice: pairings and their results. Contract: proto/maumau/v1/matchmaking.proto."""
