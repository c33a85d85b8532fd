"""The machine of the tests: disks, networks, users, and programs from elsewhere."""
