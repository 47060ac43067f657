"""Measure the coupling of an evaluator, as the paper's section 5.1(3) types it.

    python epc_protocol.py --evaluator MODEL --executor MODEL

It is `epc run` with these words: any option of that command works here too.
"""

import sys

try:
    from epc.__main__ import main
except ModuleNotFoundError as error:
    sys.exit(f"{error}\n  fix: `make install`, then `. .venv/bin/activate`")

if __name__ == "__main__":
    sys.argv[1:1] = ["run"]
    main()
