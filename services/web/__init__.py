"""The arena's web pages, and their data as JSON.

Owns nothing; everything shown was queried a moment ago.
Calls: registry, tournament, matchmaking and engine, as a reader that sees what every account may see
and, for people who have logged in, with their own token.
Called by: browsers, and programs that read `/api/v1`.
"""

from pydantic import BaseModel

BaseModel.model_config["defer_build"] = True
"""Models of OpenAPI documents, a tenth of a start's imports, are built when the document is asked for."""
