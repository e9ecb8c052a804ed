#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/mesh/planners/optimal_planner.h"
#include "core/redistribution/redistribution_chains.h"

namespace overlap {

/// A way from one layout to another, priced by the graph's links.
struct PricedPlan {
    RedistributionPlan plan;
    std::vector<StepNeeds> needs;  ///< of each step, of the optimal plan; empty for torch's
    double time_ms = 0;
    std::int64_t bytes = 0;  ///< larger of input and output of each collective, padding included, added up
};

/// One chain of a parameter under another order.
struct ChainAlternative {
    PricedPlan torch;    ///< what torch's redistribution does
    PricedPlan optimal;  ///< the cheapest way there is, see OptimalPlanner
};

/// One order in which a parameter's shards could be cut, and what its whole step would take then.
struct OrderAlternative {
    ShardingState storage;                 ///< the parameter's, same placements, in this order
    bool current = false;                  ///< the order of the graph
    std::vector<ChainAlternative> chains;  ///< of each of the parameter's chains
    double torch_ms = 0, optimal_ms = 0;
    std::int64_t torch_bytes = 0, optimal_bytes = 0;
    /// Against the collectives that the graph has, when torch redistributes; negative for a loss.
    double saved_ms = 0;
    std::int64_t saved_bytes = 0;
};

/// All orders of one parameter, the best first: by torch's time, then its bytes, then the optimal time; the graph's own
/// order before others that are no better.
struct OrderComparison {
    double current_ms = 0;  ///< the graph's collectives by its links
    std::int64_t current_bytes = 0;
    std::vector<OrderAlternative> alternatives;
    /// Why nothing can be compared; a sentence without full stop, empty when it can.
    std::string obstacle;

    const OrderAlternative* best() const { return alternatives.empty() ? nullptr : &alternatives.front(); }
    /// The alternative with this order, or nullptr.
    const OrderAlternative* find(const ShardingState& storage) const;
};

/// Compares the orders in which parameters of one graph could be stored.
///
/// The order in which mesh dimensions cut a stored parameter is free to choose; what computation needs of it, and how
/// its gradient comes out of the backward pass, is not. So each use is planned from the order to what it is for, the
/// gradient from what it is to the order, and all of them are added up: the whole step's redistribution of the
/// parameter. Torch's own path is its default one, with consecutive collectives merged only where the graph lists a
/// process group for that and the merged gather delivers the right data. Tensors that are communicated in several
/// dtypes are priced in the widest of them.
///
/// Remembers what it has planned; parameters of one shape are planned once. Not for several threads at once.
class OrderComparer {
  public:
    /// @param graph must outlive this.
    explicit OrderComparer(const Graph& graph);
    ~OrderComparer();

    OrderComparison compare(const ParameterChains& parameter);

  private:
    class Workshop;
    Workshop& workshop(const GroupMesh& mesh, const MeshTensor& tensor);
    const ChainAlternative& plan(const ParameterChains& parameter, const RedistributionChain& chain,
                                 const ShardingState& storage);

    const Graph& graph_;
    std::map<std::string, std::unique_ptr<Workshop>> workshops_;
};

}  // namespace overlap
