"""What is gathered of tables, block by block, to fit their encodings."""

import json

import numpy as np

import bochner as bo
from bochner.blocks import Block
from bochner.blocks.table_blocks import SeenTables
from bochner.tables import as_table


def test_summaries_of_blocks_merge_to_the_whole_and_survive_a_checkpoint():
    rng = np.random.default_rng(0)
    table = as_table(
        {"x": np.where(rng.random(900) < 0.1, np.nan, rng.gamma(2.0, size=900)), "a": ["u", "v", "v"] * 300}
    )
    encoder = bo.TableEncoder(missing="median")
    whole, parts = SeenTables(encoder.empty_summary(table)), []
    whole.update(Block(table))
    for rows in (slice(0, 10), slice(10, 500), slice(500, None)):
        part = whole.zero()
        part.update(Block(table[rows]))
        restored = part.zero()
        restored.restore(part.state())
        assert json.dumps(restored.summary.as_json()) == json.dumps(part.summary.as_json())
        parts.append(restored)
    merged = whole.zero()
    for part in parts:
        merged.merge(part)
    codes = [encoder.fit_summary(seen.summary, table).as_json()["codes"] for seen in (whole, merged)]
    assert codes[0][1] == codes[1][1]
    for name in ("fill", "centre", "scale"):
        np.testing.assert_allclose(codes[1][0][name], codes[0][0][name], rtol=1e-13)
