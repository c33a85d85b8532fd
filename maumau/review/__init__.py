"""The review of a deal: what each decision of a seat was worth, as its player could know it then."""
