"""Courses of LEGOs at the doors."""
