#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/cost/compute_class.h"
#include "core/graph/graph.h"
#include "core/simulate/simulation.h"

namespace overlap {

/// What is left of the slowdown of products where copy engines carry a collective out, in place of kernels on
/// multiprocessors (`symm_mem._low_contention_*`). From PyTorch's own figures of 8 H100: products beside NCCL's kernels
/// take 30 to 40 % longer (pytorch/pytorch#179937), and a product with a gather beside it 2.02 ms with such kernels and
/// 1.77 ms with copy engines (#172714); so (1.77 · (1 + s) / 2.02 - 1) / s is left, 0.46 to 0.57.
inline constexpr double copy_engine_share = 0.5;

/// How activities that run at the same time slow each other; the formulas are in the README of this folder. Factors
/// come from measurements (a calibration); all zero and no shared links is the stream model itself.
struct Contention {
    /// By ComputeClass: the share by which compute of that class takes longer while collectives move data at the full
    /// rate of one: 0.3 is 30 % longer. Multiprocessors and memory bandwidth that communication holds are in it.
    std::array<double, compute_class_count> compute_slowdown{};
    /// The share by which moving data takes longer while compute runs.
    double communication_slowdown = 0;
    /// Process groups whose collectives go over the same link, and so share its bandwidth when they move data at the
    /// same time. A group that is in no list has a link of its own.
    std::vector<std::vector<std::string>> shared_links;

    double slowdown_of(ComputeClass compute_class) const {
        return compute_slowdown[static_cast<std::size_t>(compute_class)];
    }
    bool none() const;
};

/// A stretch of time in which one collective moves its data at one rate.
struct TransferSegment {
    std::uint32_t collective = 0;  ///< index of Simulation::collectives
    double start_ms = 0, end_ms = 0;
    double rate = 1;  ///< of the rate that it has alone
};

/// The factors of the graph's cost model (core/cost/with_cost_model.h).
/// @throws InputError where it has none, or names a class of compute that does not exist.
Contention contention_of(const Graph& graph);

/// What a simulation was slowed by, for those who show it.
struct AppliedContention {
    Contention factors;
    std::vector<TransferSegment> transfers;
};

struct ContendedSimulation {
    Simulation simulation;
    std::vector<TransferSegment> transfers;  ///< in order of their ends
    std::vector<double> times_ms;            ///< how long each node took
};

/// The stream model with rates that change: compute and transfers that are under way at the same time slow each other.
/// Everything else, such as when a node may start, is as in simulate().
/// @param times_ms time of each node when it runs alone.
/// @throws InputError where a factor is negative or not finite, or a group is in two links.
ContendedSimulation simulate_with_contention(const Graph& graph, std::span<const double> times_ms,
                                             const Contention& contention, const SimulationOptions& options = {},
                                             std::stop_token stop = {});

}  // namespace overlap
