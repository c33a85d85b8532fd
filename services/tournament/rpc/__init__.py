"""The service's interface: servicers, and conversions to messages."""
