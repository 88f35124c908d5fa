"""Discord's REST API, version 10: one module a resource."""
