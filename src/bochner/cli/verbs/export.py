"""A model for other programs."""

from __future__ import annotations

import click

from ..models import loaded
from ..options import Session, examples, session
from ..output import not_there


@click.command(epilog=examples("bochner export houses.model --onnx houses.onnx"))
@click.argument("model")
@click.option("--onnx", metavar="FILE", required=True, help="Where the ONNX model goes.")
@session
def export(model: str, onnx: str, session: Session) -> None:
    """A model as ONNX, for other programs."""
    from ...store import to_onnx

    not_there(onnx, session.force)
    to_onnx(loaded(model), onnx)
    session.say(f"The model is in {onnx}.")
