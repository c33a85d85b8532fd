"""Programs on their way in: uploads, submissions, builds, and their storage."""
