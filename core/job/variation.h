#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/job/document/job_document.h"
#include "core/job/step/job_result.h"
#include "core/job/step/step_flows.h"
#include "core/job/step/step_graph.h"

namespace overlap::job {

/// A standard normal number that depends on nothing but its counters: the same whatever was drawn before, and on
/// whichever thread.
double normal_draw(std::uint64_t seed, std::uint64_t sample, std::uint64_t number);

/// The same between 0 and 1, neither of them.
double uniform_draw(std::uint64_t seed, std::uint64_t sample, std::uint64_t number);

/// A factor of a distribution, drawn by its counters.
double drawn_factor(const DistributionSpec& distribution, std::uint64_t seed, std::uint64_t sample,
                    std::uint64_t number);

/// Step times of each sample: every node's compute, the rest of its time, and every message is multiplied by a factor
/// of its own; what computes may have pauses.
/// @param compute_ms of each node, the part of its time that computes.
/// @param flows what moves over links, and the links: bytes are multiplied, and rates shared in each sample. May be
/// null.
/// @throws InputError when it was stopped.
std::vector<double> drawn_steps(const StepGraph& graph, const StepOrder& order, std::span<const double> compute_ms,
                                const VariationSpec& variation, const std::stop_token& stop = {},
                                const StepFlows* flows = nullptr, const LinkNetwork* network = nullptr);

/// Percentiles are the least value that so large a part of the samples does not exceed.
StepSpread spread_of(std::vector<double> steps);

/// Whether the document asks for draws.
bool asks_for_draws(const JobDocument& job);
/// What a document says of variation but for the draws: who is slow.
std::optional<VariationSpec> without_draws(const JobDocument& job);

}  // namespace overlap::job
