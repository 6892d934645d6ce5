def check():
    """Warns of packages that do not fit together: this library needs NumPy alone."""
