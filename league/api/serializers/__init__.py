"""Resources of this app in JSON."""
