"""Deal sets that were played on ladders and for practice: proto/maumau/v1/matchmaking.proto."""
