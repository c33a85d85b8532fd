"""Tables of tournaments and jobs: entries, specs, schedules, protests."""
