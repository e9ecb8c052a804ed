"""Small steps of tokens and labels, each with one way to use the batch, and what is expected of their graphs when
`overlap` changes the batch: the graph that PyTorch traces with it, or a refusal.

A program takes parameters (a table VOCABULARY x WIDTH and a matrix WIDTH x WIDTH), tokens and labels (batch x LENGTH).
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
import torch.nn.functional as F
from torch import Tensor

LENGTH, WIDTH, VOCABULARY, RANKS = 8, 4, 16, 2

Program = Callable[[list[Tensor], Tensor, Tensor], list[Tensor]]

EQUAL: dict[str, Program] = {}
REFUSED: dict[str, tuple[Program, str]] = {}  # with a part of the reason
# What nothing in a graph tells from a program that is scaled right: core/batch/README.md lists them.
DIFFERENT: dict[str, Program] = {}


def equal(program: Program) -> Program:
    EQUAL[program.__name__] = program
    return program


def refused(reason: str) -> Callable[[Program], Program]:
    def note(program: Program) -> Program:
        REFUSED[program.__name__] = program, reason
        return program
    return note


def different(program: Program) -> Program:
    DIFFERENT[program.__name__] = program
    return program


def rows(p: list[Tensor], tokens: Tensor) -> Tensor:
    return F.embedding(tokens, p[0])


def gathered(tensor: Tensor) -> Tensor:
    return funcol.wait_tensor(funcol.all_gather_tensor(tensor, 0, dist.group.WORLD))


def scattered(tensor: Tensor, dim: int = 0) -> Tensor:
    return funcol.wait_tensor(funcol.reduce_scatter_tensor(tensor, "sum", dim, dist.group.WORLD))


# Collectives along the batch.

@refused("which of them grows is not known")
def gather_and_view_by_ranks(p, tokens, labels):
    return [gathered(rows(p, tokens)).view(RANKS, -1, LENGTH, WIDTH) * 2]


@refused("which of them grows is not known")
def gather_and_sum_of_ranks(p, tokens, labels):
    return [gathered(rows(p, tokens)).view(RANKS, -1, LENGTH, WIDTH).sum(0) @ p[1]]


@equal
def gather_of_the_length(p, tokens, labels):  # as tensor parallelism does it
    return [torch.cat(gathered(rows(p, tokens)).chunk(RANKS), 1) @ p[1]]


@equal
def gather_and_one_part(p, tokens, labels):
    return [gathered(rows(p, tokens)).chunk(RANKS)[1] @ p[1]]


@equal
def gather_of_rows(p, tokens, labels):
    return [gathered(rows(p, tokens).view(-1, WIDTH)) @ p[1]]


@equal
def gather_of_rows_and_back(p, tokens, labels):
    return [scattered(gathered(rows(p, tokens).view(-1, WIDTH)) @ p[1]).view(-1, LENGTH, WIDTH)]


@equal
def gather_and_view_by_sequences(p, tokens, labels):
    return [gathered(rows(p, tokens).view(-1, WIDTH)).view(-1, LENGTH, WIDTH) * 2]


@equal
def scatter_of_the_batch(p, tokens, labels):
    return [scattered(rows(p, tokens).view(-1, WIDTH)) @ p[1]]


@refused("which of them grows is not known")
def scatter_and_view(p, tokens, labels):
    return [scattered(rows(p, tokens).view(-1, WIDTH)).view(tokens.shape[0], -1, WIDTH) * 2]


@equal
def scatter_of_the_length(p, tokens, labels):
    return [scattered(rows(p, tokens), 1) @ p[1]]


@equal
def reduced_gradient(p, tokens, labels):
    loss = funcol.all_reduce((rows(p, tokens) @ p[1]).sum(), "sum", dist.group.WORLD)
    return [loss]


# Parts, and tensors put together.

@refused("no whole batches")
def split_by_a_number(p, tokens, labels):
    return [torch.cat([part @ p[1] for part in rows(p, tokens).view(-1, WIDTH).split(4)])]


@refused("no whole batches")
def chunks_of_the_rows(p, tokens, labels):
    return [torch.cat([part @ p[1] for part in rows(p, tokens).view(-1, WIDTH).chunk(4)])]


@refused("no whole batches")
def chunks_with_a_rest(p, tokens, labels):
    return [torch.cat([part @ p[1] for part in rows(p, tokens).view(-1, WIDTH).chunk(3)])]


@refused("no whole batches")
def chunks_of_the_batch(p, tokens, labels):
    return [sum(part.sum() for part in rows(p, tokens).chunk(2))]


@refused("a tensor that nothing says of")
def zeros_behind_the_batch(p, tokens, labels):
    return [torch.cat([rows(p, tokens), torch.zeros(2, LENGTH, WIDTH)])]


@refused("a tensor that nothing says of")
def new_zeros_behind_the_batch(p, tokens, labels):
    x = rows(p, tokens)
    return [torch.cat([x, x.new_zeros(2, LENGTH, WIDTH)]) @ p[1]]


@equal
def the_batch_twice(p, tokens, labels):
    x = rows(p, tokens)
    return [torch.cat([x, x * 2]) @ p[1]]


@equal
def the_batch_twice_and_apart(p, tokens, labels):
    x = rows(p, tokens)
    one, other = torch.cat([x, x * 2]).chunk(2)
    return [one @ p[1] + other]


@equal
def zeros_before_the_length(p, tokens, labels):
    x = rows(p, tokens)
    return [torch.cat([x.new_zeros(x.shape[0], 1, WIDTH), x[:, :-1]], 1)]


@equal
def stacked(p, tokens, labels):
    x = rows(p, tokens)
    return [torch.stack([x, x * 2], 1).sum(1)]


@refused("whether its bound is the batch")
def slice_up_to_a_number(p, tokens, labels):
    return [rows(p, tokens)[:4] * 2]


@refused("brings together")
def slice_without_the_last(p, tokens, labels):
    return [rows(p, tokens)[:-1] * 2]


@equal
def chunks_of_the_length(p, tokens, labels):
    total = torch.zeros(())
    for part, wanted in zip(rows(p, tokens).chunk(2, 1), labels.chunk(2, 1)):
        total = total + F.cross_entropy((part @ p[0].t()).reshape(-1, VOCABULARY), wanted.reshape(-1), reduction="sum")
    return [total]


@equal
def halves_of_the_width(p, tokens, labels):
    one, other = rows(p, tokens).split(2, -1)
    return [one * other]


@equal
def rolled(p, tokens, labels):
    return [torch.roll(rows(p, tokens), 1, 1)]


@refused("brings together")
def rolled_along_the_batch(p, tokens, labels):
    return [torch.roll(rows(p, tokens), 1, 0)]


@equal
def padded(p, tokens, labels):
    return [F.pad(rows(p, tokens), (0, 0, 1, 2))]


@refused("brings together")
def padded_along_the_batch(p, tokens, labels):
    return [F.pad(rows(p, tokens), (0, 0, 0, 0, 0, 2))]


@equal
def shifted_labels(p, tokens, labels):
    return [torch.cat([labels[:, 1:], torch.zeros_like(labels[:, :1])], 1).sum()]


# Views.

@refused("whether 2 is the batch is not known")
def two_groups_of_rows(p, tokens, labels):
    return [(rows(p, tokens).view(-1, WIDTH) @ p[1]).view(2, -1, WIDTH).sum(1)]


@equal
def nested_views(p, tokens, labels):
    x = rows(p, tokens).view(-1, LENGTH // 2, 2, WIDTH).permute(0, 2, 1, 3).reshape(-1, 2, LENGTH // 2 * WIDTH)
    return [x.transpose(1, 2).contiguous().flatten(1)]


@equal
def flattened(p, tokens, labels):
    x = (rows(p, tokens).flatten(0, 1) @ p[1]).unflatten(0, tokens.shape)
    return [x.flatten(1)]


@equal
def size_of_one_outside(p, tokens, labels):
    return [rows(p, tokens).view(1, -1, WIDTH) @ p[1]]


@refused("brings together")
def length_first(p, tokens, labels):
    x = rows(p, tokens).transpose(0, 1).contiguous().view(-1, WIDTH) @ p[1]
    return [x.view(LENGTH, -1, WIDTH).transpose(0, 1)]


@equal
def repeated_heads(p, tokens, labels):  # keys of grouped queries
    x = rows(p, tokens).view(-1, LENGTH, 2, 2)
    return [x[:, :, :, None, :].expand(-1, -1, 2, 2, 2).reshape(-1, LENGTH, 4, 2)]


@refused("aten.repeat.default")
def repeated_batch(p, tokens, labels):
    return [rows(p, tokens).repeat(2, 1, 1)]


@refused("aten.repeat.default")
def repeated_to_the_batch(p, tokens, labels):
    return [rows(p, tokens) + p[0][:LENGTH].repeat(tokens.shape[0], 1, 1)]


@equal
def expanded_to_the_batch(p, tokens, labels):
    return [rows(p, tokens) * 2 + p[0][:LENGTH].expand(tokens.shape[0], -1, -1)]


# Tensors that are made of sizes alone, and numbers.

@refused("is made from the batch is not known")
def sum_of_ones(p, tokens, labels):
    return [rows(p, tokens).sum(), torch.ones(tokens.shape[0], LENGTH).sum()]


@refused("is made from the batch is not known")
def sum_of_expanded(p, tokens, labels):
    return [rows(p, tokens).sum(), p[0].sum(0).expand(tokens.shape[0], WIDTH).sum()]


@refused("is made from the batch is not known")
def returned_ones(p, tokens, labels):
    return [rows(p, tokens), torch.full(tokens.shape, 1.0)]


@refused("is made from the batch is not known")
def random_numbers(p, tokens, labels):
    return [rows(p, tokens).sum(), torch.rand(tokens.shape[0], LENGTH).sum()]


@equal
def one_zero_a_sequence(p, tokens, labels):
    return [rows(p, tokens) + torch.zeros(tokens.shape[0], 1, 1)]


@equal
def positions(p, tokens, labels):
    return [rows(p, tokens) + torch.arange(LENGTH * WIDTH).view(LENGTH, WIDTH)]


@equal
def one_hot(p, tokens, labels):
    return [torch.zeros(*tokens.shape, VOCABULARY).scatter_(2, tokens.unsqueeze(-1), 1.0)]


@equal
def rows_by_their_own_numbers(p, tokens, labels):
    scores = (rows(p, tokens) @ p[0].t()).view(-1, VOCABULARY)
    return [scores.gather(1, labels.view(-1, 1))]


@refused("aten.index.Tensor")
def elements_by_two_numbers(p, tokens, labels):
    scores = (rows(p, tokens) @ p[0].t()).view(-1, VOCABULARY)
    return [scores[torch.arange(tokens.numel()), labels.view(-1)]]


@equal
def chosen_columns(p, tokens, labels):
    return [rows(p, tokens).index_select(2, torch.arange(3))]


@refused("is made from the batch is not known")
def as_many_columns_as_sequences(p, tokens, labels):
    return [rows(p, tokens).index_select(2, torch.arange(2))]


@equal
def causal_mask(p, tokens, labels):
    x = rows(p, tokens)
    place = torch.arange(LENGTH)
    scores = torch.bmm(x, x.transpose(1, 2)).masked_fill(place[:, None] < place[None, :], float("-inf"))
    return [torch.bmm(scores.softmax(-1), x)]


@equal
def triangle(p, tokens, labels):
    x = rows(p, tokens)
    mask = torch.tril(torch.ones(LENGTH, LENGTH)) > 0
    return [torch.where(mask, torch.bmm(x, x.transpose(1, 2)), 0.0)]


@equal
def mask_of_padding(p, tokens, labels):
    return [torch.where((tokens > 3).unsqueeze(-1), rows(p, tokens), 0.0)]


@equal
def zeros_at_a_mask(p, tokens, labels):
    kept = tokens.clone()
    kept[tokens > 3] = 0
    return [rows(p, kept)]


@equal
def dropped(p, tokens, labels):
    return [F.dropout(rows(p, tokens), 0.5) @ p[1]]


@equal
def running_sum(p, tokens, labels):
    return [rows(p, tokens).cumsum(1)]


# Losses, gradients, attention.

@equal
def cross_entropy(p, tokens, labels):
    loss = F.cross_entropy((rows(p, tokens) @ p[0].t()).view(-1, VOCABULARY), labels.view(-1), ignore_index=3)
    return [loss, *torch.autograd.grad(loss, p[:1])]


@equal
def losses_of_sequences(p, tokens, labels):
    losses = F.cross_entropy((rows(p, tokens) @ p[0].t()).view(-1, VOCABULARY), labels.view(-1), reduction="none")
    loss = losses.view(-1, LENGTH).sum(1).pow(2).sum()
    return [loss, *torch.autograd.grad(loss, p[:1])]


@refused("may count what grows with the batch")
def mean_of_losses_of_sequences(p, tokens, labels):
    losses = F.cross_entropy((rows(p, tokens) @ p[0].t()).view(-1, VOCABULARY), labels.view(-1), reduction="none")
    return list(torch.autograd.grad(losses.view(-1, LENGTH).sum(1).mean(), p[:1]))


@equal
def cross_entropy_by_places(p, tokens, labels):
    loss = F.cross_entropy((rows(p, tokens) @ p[0].t()).transpose(1, 2), labels)
    return [loss, *torch.autograd.grad(loss, p[:1])]


@equal
def squared_error(p, tokens, labels):
    loss = F.mse_loss(rows(p, tokens) @ p[1], rows(p, labels))
    return [loss, *torch.autograd.grad(loss, p)]


@equal
def smoothed_cross_entropy(p, tokens, labels):
    scores = (rows(p, tokens) @ p[0].t()).view(-1, VOCABULARY)
    return [F.log_softmax(scores, -1).logsumexp(-1).sum()]


@refused("may count what grows with the batch")
def sum_over_its_tokens(p, tokens, labels):
    scores = (rows(p, tokens) @ p[0].t()).view(-1, VOCABULARY)
    loss = F.cross_entropy(scores, labels.view(-1), reduction="sum") / tokens.numel()
    return [loss, *torch.autograd.grad(loss, p[:1])]


@refused("may count what grows with the batch")
def sum_over_its_sequences(p, tokens, labels):
    return [(rows(p, tokens) @ p[1]).sum() / tokens.shape[0]]


@refused("may count what grows with the batch")
def scaled_sums(p, tokens, labels):
    return [(rows(p, tokens) @ p[1]).sum((0, 1)) * (1 / tokens.numel())]


@refused("may count what grows with the batch")
def gradient_of_a_mean(p, tokens, labels):
    return list(torch.autograd.grad((rows(p, tokens) @ p[1]).pow(2).mean(), p))


@refused("may count what grows with the batch")
def gradient_of_a_mean_over_the_batch(p, tokens, labels):
    return list(torch.autograd.grad((rows(p, tokens) @ p[1]).mean(0).pow(2).sum(), p))


@equal
def gradient_of_a_mean_over_the_width(p, tokens, labels):
    return list(torch.autograd.grad((rows(p, tokens) @ p[1]).mean(-1).pow(2).sum(), p))


@equal
def mean(p, tokens, labels):
    return [(rows(p, tokens) @ p[1]).mean()]


@equal
def rms_norm(p, tokens, labels):
    return list(torch.autograd.grad(F.rms_norm(rows(p, tokens) @ p[1], (WIDTH,), p[0][0]).sum(), p))


@equal
def layer_norm(p, tokens, labels):
    return list(torch.autograd.grad(F.layer_norm(rows(p, tokens) @ p[1], (WIDTH,), p[0][0], p[0][1]).sum(), p))


@refused("brings together")
def norm_of_all(p, tokens, labels):
    x = rows(p, tokens)
    return [F.layer_norm(x, x.shape)]


@equal
def attention(p, tokens, labels):
    x = rows(p, tokens).view(-1, LENGTH, 2, 2).transpose(1, 2)
    return [F.scaled_dot_product_attention(x, x, x, is_causal=True).transpose(1, 2).reshape(-1, LENGTH, WIDTH)]


@equal
def gradient_of_a_slice(p, tokens, labels):
    return list(torch.autograd.grad((rows(p, tokens)[:, 1:] @ p[1][:, :2]).sum(), p))


@equal
def gradient_of_one_place(p, tokens, labels):
    return list(torch.autograd.grad((rows(p, tokens)[:, -1] @ p[1]).sum(), p))


@equal
def attention_with_a_mask(p, tokens, labels):
    x = rows(p, tokens).view(-1, LENGTH, 2, 2).transpose(1, 2)
    mask = torch.ones(LENGTH, LENGTH, dtype=torch.bool).tril()
    out = F.scaled_dot_product_attention(x, x, x, attn_mask=mask)
    return list(torch.autograd.grad(out.sum(), p[:1]))


@equal
def attention_without_padding(p, tokens, labels):
    x = rows(p, tokens).view(-1, LENGTH, 2, 2).transpose(1, 2)
    mask = (tokens > 0)[:, None, None, :].expand(-1, 1, LENGTH, -1)
    return [F.scaled_dot_product_attention(x, x, x, attn_mask=mask)]


@equal
def attention_of_grouped_queries(p, tokens, labels):
    query = rows(p, tokens).view(-1, LENGTH, 2, 2).transpose(1, 2)
    key = (rows(p, tokens) @ p[1][:, :2]).view(-1, LENGTH, 1, 2).transpose(1, 2).expand(-1, 2, -1, -1)
    out = F.scaled_dot_product_attention(query, key, key, is_causal=True)
    return list(torch.autograd.grad(out.sum(), p))


@refused("how its tensor would lie in memory")
def sequences_by_sequences(p, tokens, labels):
    first = rows(p, tokens)[:, 0]
    return [first @ first.t()]


@refused("brings together")
def one_sequence(p, tokens, labels):
    return [rows(p, tokens)[0] @ p[1]]


@refused("aten.convolution.default")
def convolved(p, tokens, labels):
    return [F.conv1d(rows(p, tokens).transpose(1, 2), p[1].unsqueeze(-1))]


# Not to be told from programs that are scaled right.

@different
def two_chunks(p, tokens, labels):  # view(batch, -1, WIDTH) has the same graph
    return [rows(p, tokens).view(2, -1, WIDTH) @ p[1]]


@different
def two_sequences_each(p, tokens, labels):  # split(batch) has the same graph
    return [torch.cat([part @ p[1] for part in gathered(rows(p, tokens)).split(2)])]


@different
def length_of_the_batch(p, tokens, labels):  # as many as a number of the model
    return [rows(p, tokens)[:, :tokens.shape[0]] @ p[1]]


@different
def zeros_for_the_batch(p, tokens, labels):
    return [F.pad(rows(p, tokens), (0, 0, 0, tokens.shape[0]))]


@different
def power_of_the_batch(p, tokens, labels):
    return [rows(p, tokens) + 1 / tokens.shape[0] ** 2]


@different
def sum_over_several_batches(p, tokens, labels):
    return [(rows(p, tokens) @ p[1]).sum() / (tokens.numel() * RANKS * 3)]


@different
def sums_over_the_sequences(p, tokens, labels):  # as over two ranks
    return [(rows(p, tokens) @ p[1]).sum((0, 1)) / tokens.shape[0]]


@different
def other_steps_for_large_batches(p, tokens, labels):
    x = rows(p, tokens)
    return [x @ p[1] if tokens.shape[0] < 4 else x]
