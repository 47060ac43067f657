"""The program from Python, and inside the tools that people use; a module loads when it is used.

The same functions do the work as for the command line.
"""
