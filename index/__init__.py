"""The index over error records: exact tier, dense tier, generations."""
