"""`python -m groupx.cli`."""

from groupx.cli import main

if __name__ == "__main__":
    main()
