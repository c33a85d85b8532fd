"""Texts about accounts, groups and teams."""
