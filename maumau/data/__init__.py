"""Results as tables for analysis: Parquet, CSV or JSON lines, made from exports (docs/reference/data.md)."""
