"""The HTTP API and the web app: a host over the desk. It reads entries and holds no second state."""
