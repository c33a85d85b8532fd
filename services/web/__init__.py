"""The pages that people watch, and their JSON.

Owns: nothing; what it shows it has asked for a moment ago.
Calls: the registry and the tournament service, as a reader that sees what everybody may see.
Called by: browsers, and programs that read `/api/v1`.
"""
