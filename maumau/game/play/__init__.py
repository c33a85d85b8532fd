"""The course of a deal: its start, the stages of a turn, and what each action does."""
