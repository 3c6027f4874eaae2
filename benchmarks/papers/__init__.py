"""The tables of the papers behind the methods, made anew: one module per paper, each with `PAPER` and `sheets`."""
