"""`python -m groupx.cli`."""

from groupx.__main__ import main

if __name__ == "__main__":
    main()
