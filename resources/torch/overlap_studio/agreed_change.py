"""A change of a graph that all ranks make, or none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import torch.fx as fx

from .backup import GraphBackup
from .ranks import RankAgreement


@contextmanager
def telling_others(agreement: RankAgreement | None) -> Iterator[None]:
    """What fails inside is told to the other ranks, so that none waits for this one.

    @param agreement that has begun; None where there is nobody to agree with.
    """
    try:
        yield
    except BaseException as error:
        if agreement is not None:
            agreement.failure(error)
        raise


@contextmanager
def agreed_change(gm: fx.GraphModule, agreement: RankAgreement | None,
                  facts: Callable[[], Mapping[str, str]]) -> Iterator[None]:
    """Inside, the graph of a module is changed. Where that fails, or the other ranks have other facts afterwards, the
    module has the graph that it had, in new nodes.

    @param agreement that has begun; None where there is nobody to agree with.
    @param facts what must be the same on all ranks, asked for when the graph has been changed.
    @raises RankMismatch on every rank where the facts differ, or where another rank has failed.
    """
    with telling_others(agreement):
        backup = GraphBackup(gm)
    try:
        with telling_others(agreement):
            yield
        if agreement is not None:
            agreement.agree(facts())
    except BaseException:
        backup.restore()
        raise
