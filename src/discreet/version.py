"""The version, known to everything that writes it down."""

VERSION = "0.1.0"
