"""Roles in groups and in teams."""

from typing import Final

MEMBER: Final = "member"
ORGANISER: Final = "organiser"
ROLES: Final = (MEMBER, ORGANISER)
OWNER: Final = "owner"
TEAM_ROLES: Final = (MEMBER, OWNER)
