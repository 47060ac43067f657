"""A project's own files, held against the registry: which models do they name, and for how long?"""
