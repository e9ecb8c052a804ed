#pragma once

#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/plan.h"
#include "core/redistribution/order_comparison.h"

namespace overlap {

/// Whether a parameter's name fits a pattern: `*` matches any letters, `?` one letter, `[2-31]` a number from 2 to 31
/// as in bucket entries; anything else itself.
bool matches_pattern(std::string_view pattern, std::string_view name);

/// A pattern for a parameter and its alikes: parts of the name that are numbers become stars,
/// `layers.*.attention.wq.weight`.
std::string pattern_of_alikes(std::string_view name);

/// The effect of one entry of a plan's device orders on a graph.
struct DeviceOrderEffect {
    std::vector<std::size_t> parameters;  ///< indices of parameters that would be stored in the order
    std::vector<std::size_t> misfits;     ///< that match the pattern, but are laid out otherwise or cannot be inferred
    double saved_ms = 0;                  ///< over a whole step, see OrderAlternative::saved_ms
    std::int64_t saved_bytes = 0;
    /// Why the effect is unknown; a sentence without full stop, empty when it can.
    std::string obstacle;
};

/// @param parameters of the graph; `comparisons` one each.
/// @param taken parameters that an earlier entry has; they are left out. Empty, or one each.
DeviceOrderEffect effect_of(const DeviceOrder& order, std::span<const ParameterChains> parameters,
                            std::span<const OrderComparison> comparisons, const std::vector<bool>& taken = {});

/// All chains of a graph with their orders compared.
struct ComparedChains {
    GraphChains chains;
    std::vector<OrderComparison> comparisons;  ///< one for each of chains.parameters
};

/// @throws InputError as node_times_ms().
/// @returns nothing when `stop` was requested.
ComparedChains compare_chains(const Graph& graph, const std::stop_token& stop = {});

/// One entry among a plan's other ones.
struct DeviceOrderStatus {
    DeviceOrderEffect effect;
    std::vector<std::size_t> repeated;  ///< parameters that match, but that an earlier entry counts for
    bool stale = false;                 ///< the plan expects another saving than there is

    /// The pattern matches no parameter with collectives.
    bool unknown() const {
        return effect.obstacle.empty() && effect.parameters.empty() && effect.misfits.empty() && repeated.empty();
    }
};

/// One for each of `orders`, of which earlier ones win.
std::vector<DeviceOrderStatus> device_order_statuses(std::span<const DeviceOrder> orders,
                                                     const ComparedChains& compared);

/// The entry for a plan that stores all parameters that match `pattern` and lie as `parameter` does in the order of
/// `storage`, with what it is expected to save.
/// @param storage an alternative of this parameter.
DeviceOrder device_order(std::string pattern, const ParameterChains& parameter, const ShardingState& storage,
                         const ComparedChains& compared);

/// An entry for display: `"layers.*.wq.weight" stored as S(0)[1]S(0)[0] on process groups "mesh_dp", "mesh_tp"`.
std::string display_name(const DeviceOrder& order);

/// What is wrong or remarkable with a plan's device orders on a graph, and, as a note, what each is expected to save.
/// The layout of parameters is decided in the training job, so an order changes neither the graph nor any figure of its
/// simulation; its saving is shown beside them. Reported: patterns that match nothing, parameters that are laid out
/// otherwise, parameters that an earlier entry has, savings that differ from what the plan expects.
std::vector<Problem> check_device_orders(const Graph& graph, const Plan& plan);

}  // namespace overlap
