"""Every address of the pages, with its handler: where a new page is registered.

Addresses below `/api/v1` are registered in `services.web.api`, together with their description.
"""
