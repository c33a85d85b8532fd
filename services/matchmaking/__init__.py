"""Ladders and practice: who plays whom, and what came of it. Contract: proto/maumau/v1/matchmaking.proto."""
