"""The pages and forms of people who have logged in: authors and organisers."""
