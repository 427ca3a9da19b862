"""The client library without a server."""
