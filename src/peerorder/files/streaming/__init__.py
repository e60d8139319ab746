"""Rankings larger than memory: folders of Parquet or CSV files, read in batches and summed up in parts."""
