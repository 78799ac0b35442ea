"""Opt in to culturegate's plugin; there is no entry point, so other sessions stay as they are."""

pytest_plugins = ["culturegate.plugin"]
