"""The delivery of pages: rendered in the reader's language, cached, kept up to date by streams."""
