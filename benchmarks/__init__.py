"""The performance suite: `python -m benchmarks --help`.

Every figure in the docs comes from here, with its machine and date. Load is bounded in count,
goes only to 127.0.0.1, and to a daemon that the suite started itself.
"""
