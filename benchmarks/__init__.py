"""Measurements; each prints figures with the machine's description."""
