"""Weighing what speaks for a record."""
