#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <stop_token>
#include <vector>

#include "core/plan/memory_choices.h"
#include "core/search/candidate.h"

namespace overlap {

/// Plans that differ a little from an evaluated one. Which ones depends on nothing but the arguments.

/// Other bounds of buckets: neighbours merged, an entry split, a module given to the neighbouring bucket, those of the
/// longest exposed collectives first and then at random. Empty for plans without buckets.
std::vector<Proposal> bucket_moves(const Evaluation& evaluation, std::mt19937& random, std::size_t most);

/// One option of the automatic pass changed. Empty for plans without it.
std::vector<Proposal> option_moves(const Plan& plan, std::mt19937& random, std::size_t most);

/// The automatic pass with less in flight than it may have, most first: what collectives read is held until their
/// waits. Empty for plans without it.
std::vector<Proposal> in_flight_moves(const Plan& plan);

/// Settings of the memory section that may be tried: torchtitan's policies, with gathers kept in none, some and all
/// layers. Empty where the trainer would not run the passes that carry them out on the graph, or has run them.
std::vector<MemoryChoice> memory_settings(const Graph& graph);

/// The plan with each of the settings that it does not have, and with none.
std::vector<Proposal> memory_moves(const Plan& plan, const std::vector<MemoryChoice>& settings);

/// The plan with single operators saved that it computes again, those first that take longest for their bytes, and with
/// operators computed again that it saves, those first that take least for theirs. Empty for plans that do not run the
/// passes of the memory section.
std::vector<Proposal> operator_memory_moves(const Evaluation& evaluation, std::size_t most);

/// What core/advice has for the longest exposed collectives.
/// @param first how many of the longest exposed to pass over, @param most how many to take.
/// @param any_order whether what depends on a collective may be moved, too.
/// @returns what it has so far when `stop` was requested.
std::vector<Proposal> advice_moves(const std::shared_ptr<const Evaluation>& evaluation, std::size_t first,
                                   std::size_t most, bool any_order = false, const std::stop_token& stop = {});

/// Overlaps by hand that change the order of heavy compute: the 2, 4, 8, ... longest exposed collectives, with what
/// they need, start before products that nothing of it needs, such as those of weights' gradients, and so run behind
/// them; or they are waited for, with all that needs them, after products that do not.
std::vector<Proposal> overtaking_moves(const Evaluation& evaluation);

/// Overlaps by hand for many collectives at once, since layers repeat: the 2, 4, 8, ... longest exposed start where
/// `start_before` says, or are waited for right before what needs them, or both.
std::vector<Proposal> overlap_moves(const Evaluation& evaluation);

}  // namespace overlap
