"""Accounts, groups, teams, their tokens and invitations."""
