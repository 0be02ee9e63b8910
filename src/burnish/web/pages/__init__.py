"""The pages of the workbench, a module each. They show and pass on; what is decided is decided at the desk."""
