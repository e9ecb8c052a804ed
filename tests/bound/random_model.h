#pragma once

#include <memory>
#include <random>

#include "core/graph/graph.h"
#include "core/plan/plan.h"

namespace overlap::test {

/// A small joint step as torchtitan's trainer makes it: layers whose parameters are gathered, at times again in the
/// backward pass, activations that the backward pass uses or not, gradients that are scattered, at times an all-to-all
/// or an all-reduce of activations between. Sizes, times and links are random, times of collectives not always what
/// their link says.
std::shared_ptr<const Graph> random_model(std::mt19937& random);

/// A plan for it of any kind: clean-ups or none, presets or a pass that merges alone, buckets of random neighbours,
/// random options of the automatic pass, random overlaps by hand, random memory sections.
Plan random_plan(const Graph& graph, std::mt19937& random);

}  // namespace overlap::test
