"""`python -m epc` is the same program as `epc`."""

from epc.cli import main

if __name__ == "__main__":
    main()
