"""The pages of the workbench, a module each. They show and pass on; the review service decides."""
