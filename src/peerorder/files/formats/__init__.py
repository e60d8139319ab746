"""Formats: CSV, workbooks and Parquet as columns of text, and writing them whole or not at all."""
