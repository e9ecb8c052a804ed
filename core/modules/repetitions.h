#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/graph/graph.h"

namespace overlap {

/// A stretch of a graph that is repeated without a gap.
struct Repetition {
    NodeId first = no_node;    ///< of the first one
    std::uint32_t period = 0;  ///< nodes in each
    std::uint32_t count = 0;
    /// Nodes directly before the first and after the last one that are nearly equal to the end and the beginning of
    /// one, in their order. A few more or fewer nodes are allowed, as in the first block of a model. Nodes that make up
    /// one more, or nearly, are one more that differs a little; fewer indicate one that is cut off.
    std::uint32_t nearly_before = 0, nearly_behind = 0;
    bool whole_before = false, whole_behind = false;

    NodeId end() const { return first + period * count; }
};

/// What a node is, whatever it is called and works on: operator, number of inputs, sizes and dtypes of what it returns.
/// Equal nodes have equal numbers.
std::vector<std::uint64_t> node_kinds(const Graph& graph);

/// The first node of repetitions 2, 3, ... that is of another kind than its counterpart in the first one; no_node where
/// all are equal. Nodes beyond the end of the graph count as different.
NodeId first_difference(const std::vector<std::uint64_t>& kinds, const Repetition& repetition);

/// The repeated stretches of a graph, those that cover most nodes first; they do not overlap. Each begins where it has
/// the most complete repetitions, those at both ends that differ a little included; of several such places, where the
/// fewest values pass from one repetition to the next: at a block of the model.
///
/// Distances between nodes of a kind propose periods, and each proposed period is checked: linear in the nodes for each
/// stretch that is found.
/// @param shortest period that counts: a block of a model has dozens of nodes.
std::vector<Repetition> find_repetitions(const Graph& graph, std::uint32_t shortest = 12);

}  // namespace overlap
