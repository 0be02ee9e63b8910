"""The workbench: pages about runs, served to a browser."""
