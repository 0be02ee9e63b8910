"""The workbench: pages for the people who review, and the server that carries them and the HTTP API."""
