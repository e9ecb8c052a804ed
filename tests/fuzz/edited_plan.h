#pragma once

#include "core/plan/plan.h"
#include "tests/fuzz/choices.h"

namespace overlap::fuzz {

/// A pass and options for it, some of them odd.
PassStep chosen_step(const Graph& graph, Choices& choices);

/// A plan with a few steps, entries, rules for modules and overlaps by hand, about nodes and modules of the graph or
/// about none. It is written and read back, so that it is a plan that a file may hold.
/// @throws InputError where the reader refuses it.
Plan chosen_plan(const Graph& graph, Choices& choices);

}  // namespace overlap::fuzz
