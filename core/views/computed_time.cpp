#include "core/views/computed_time.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "core/graph/direction.h"
#include "core/modules/home_module.h"

namespace overlap {
namespace {

using ModuleId = ModuleTree::ModuleId;

/// What passes append to the name of a node that they copy, halve or join.
constexpr std::string_view endings[] = {"_recomputed", "_chunk_materialized", "_chunk0", "_chunk1"};

/// The node of the input whose name, with such endings, `name` is; no_node where there is none.
NodeId named_source(const Graph& input, std::string_view name) {
    while (true) {
        if (const NodeId node = input.find(name); node != no_node) return node;
        std::size_t end = std::string_view::npos;
        for (const std::string_view ending : endings) {
            const std::size_t at = name.rfind(ending);
            if (at != std::string_view::npos && (end == std::string_view::npos || at > end)) end = at;
        }
        if (end == std::string_view::npos) return no_node;
        name = name.substr(0, end);
    }
}

class Attribution {
  public:
    Attribution(const Evaluation& evaluation, const ModuleTree& tree)
        : evaluation_(evaluation),
          graph_(*evaluation.graph),
          tree_(tree),
          homes_(home_modules(tree, evaluation.input->node_count())),
          waits_(graph_.node_count()),
          places_(graph_.node_count()) {
        for (const CollectiveTiming& timing : evaluation.simulation.collectives) mark_wait(timing.wait);
        for (const TransferTiming& timing : evaluation.simulation.transfers) mark_wait(timing.wait);
    }

    ComputedTime run() {
        ComputedTime computed;
        computed.nodes_ms.assign(evaluation_.input->node_count(), 0);
        std::map<std::pair<ModuleId, bool>, double> made;
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            const bool computes = evaluation_.simulation.on_compute(node) && !waits_[node];
            const double time_ms = computes ? evaluation_.times_ms[node] : 0;
            const NodeId source = source_of(node);
            places_[node] = source == no_node ? place_of_made(node)
                                              : Place{homes_[source], is_backward(*evaluation_.input, source)};
            if (time_ms <= 0) continue;
            if (source == no_node) {
                made[{places_[node].module, places_[node].backward}] += time_ms;
            } else {
                computed.nodes_ms[source] += time_ms;
            }
        }
        for (const auto& [place, ms] : made) computed.made.push_back({place.first, place.second, ms});
        return computed;
    }

  private:
    struct Place {
        ModuleId module = ModuleTree::no_module;
        bool backward = false;
    };

    void mark_wait(NodeId wait) {
        if (wait != no_node) waits_[wait] = true;
    }

    NodeId source_of(NodeId node) const {
        const NodeId origin = evaluation_.origin[node];
        return origin != no_node ? origin : named_source(*evaluation_.input, graph_.name(node));
    }

    /// The nodes that it computes from have places already.
    Place place_of_made(NodeId node) {
        Place place{own_module(node), is_backward(graph_, node)};
        for (const NodeId input : graph_.inputs(node)) {
            place.backward = place.backward || places_[input].backward;
            if (!says_module_ && places_[input].module != ModuleTree::no_module) place.module = places_[input].module;
        }
        return place;
    }

    /// The module of the input that the node itself says, or the next one around it.
    ModuleId own_module(NodeId node) {
        if (!own_homes_) {
            own_tree_.emplace(graph_, tree_.source());
            own_homes_ = home_modules(*own_tree_, graph_.node_count());
        }
        ModuleId at = (*own_homes_)[node];
        says_module_ = at != ModuleTree::no_module;
        for (; at != ModuleTree::no_module; at = own_tree_->module(at).parent) {
            if (at == ModuleTree::root) return ModuleTree::root;
            if (const ModuleId known = tree_.find(own_tree_->path(at)); known != ModuleTree::no_module) return known;
        }
        return ModuleTree::no_module;
    }

    const Evaluation& evaluation_;
    const Graph& graph_;
    const ModuleTree& tree_;
    std::vector<ModuleId> homes_;
    std::vector<bool> waits_;
    std::vector<Place> places_;
    std::optional<ModuleTree> own_tree_;
    std::optional<std::vector<ModuleId>> own_homes_;
    bool says_module_ = false;  ///< the node that own_module() was asked for last
};

}  // namespace

ComputedTime computed_time(const Evaluation& evaluation, const ModuleTree& tree) {
    return Attribution(evaluation, tree).run();
}

ModuleSums module_computed_ms(const ComputedTime& computed, const ModuleTree& tree) {
    ModuleSums sums = module_sums(tree, computed.nodes_ms);
    for (const ComputedTime::Made& made : computed.made) {
        if (made.module != ModuleTree::no_module) {
            for (ModuleId at = made.module; at != ModuleTree::no_module; at = tree.module(at).parent)
                sums.modules_ms[at] += made.ms;
        } else if (tree.nodes_without_module().empty() && tree.exists()) {
            sums.modules_ms[ModuleTree::root] += made.ms;
        } else {
            sums.without_module_ms += made.ms;
        }
    }
    return sums;
}

double made_in(const ComputedTime& computed, const ModuleTree& tree, std::span<const ModuleId> modules) {
    double sum_ms = 0;
    for (const ComputedTime::Made& made : computed.made) {
        ModuleId at = made.module;
        while (at != ModuleTree::no_module && std::ranges::find(modules, at) == modules.end())
            at = tree.module(at).parent;
        if (at != ModuleTree::no_module) sum_ms += made.ms;
    }
    return sum_ms;
}

}  // namespace overlap
