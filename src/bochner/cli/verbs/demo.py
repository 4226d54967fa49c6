"""The command on generated rows, step by step."""

from __future__ import annotations

import shlex

import click

from ..data import scratch
from ..options import Session, session
from ..problems import Problem

ROWS = 20_000
STEPS = (
    "fit {folder}/houses.csv --target price --test 0.2 --out {folder}/houses.model --report {folder}/houses.html",
    "info {folder}/houses.model",
    "predict {folder}/houses.model {folder}/houses.csv --keep district --out {folder}/predictions.csv",
    "error {folder}/houses.csv --drop price --drop district --kernel gaussian --components 500",
)


@click.command()
@session
def demo(session: Session) -> None:
    """Learn, look, predict: the command on generated rows."""
    from ..main import main

    folder = scratch()
    _houses(f"{folder}/houses.csv", session.seed)
    session.say(f"{ROWS} generated houses: rooms, age, distance, district; the price bends with all of them.")
    for step in STEPS:
        session.say(f"\n$ bochner {step.format(folder='.')}")
        if main(shlex.split(step.format(folder=shlex.quote(str(folder))))) != 0:
            raise Problem("The demonstration stopped.")


def _houses(path: str, seed: int) -> None:
    import numpy as np
    import pyarrow as pa
    import pyarrow.csv

    rng = np.random.default_rng(seed)
    rooms, age = rng.gamma(4.0, 1.0, ROWS), rng.uniform(0.0, 120.0, ROWS)
    distance, district = rng.exponential(5.0, ROWS), rng.choice(["north", "south", "east", "west"], ROWS)
    worth = {"north": 1.0, "south": 1.4, "east": 0.8, "west": 1.1}
    price = np.log1p(rooms) * np.exp(-distance / 10.0) * (1.0 + 0.5 * np.sin(age / 20.0))
    price *= np.array([worth[name] for name in district])
    price += 0.05 * rng.normal(size=ROWS)
    columns = {"rooms": rooms, "age": age, "distance": distance, "district": district, "price": price}
    pyarrow.csv.write_csv(pa.table(columns), path)
