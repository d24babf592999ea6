"""The same rows stored as Parquet, CSV and a DuckDB table."""

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq


def write_parquet(path, columns, groups):
    """Row groups of the given sizes (the last takes the rest)."""
    table = pa.table(columns)
    begin = 0
    with pq.ParquetWriter(path, table.schema) as writer:
        for size in [*groups, table.num_rows]:
            part = table.slice(begin, size)
            if part.num_rows:
                writer.write_table(part, row_group_size=max(size, 1))
            begin += size
    return path


def write_csv(path, columns):
    """With the shortest digits that give the number back."""
    names = list(columns)
    lines = [",".join(names)] + [
        ",".join(_cell(v) for v in row) for row in zip(*(columns[n] for n in names))
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def _cell(value):
    return repr(float(value)) if isinstance(value, (float, np.floating)) else str(value)


def write_duckdb(path, columns, name="m"):
    """One table."""
    table = pa.table(columns)
    with duckdb.connect(str(path)) as connection:
        connection.register("given", table)
        connection.execute(f"CREATE TABLE {name} AS SELECT * FROM given")
    return path
