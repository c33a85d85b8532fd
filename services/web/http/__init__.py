"""HTTP below the pages: checks and limits of requests, sessions, routes, answers, problems."""
