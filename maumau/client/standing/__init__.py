"""Tables, winners and reports, made of the answers of an arena. Pure."""
