#include "core/redistribution/redistribution_chains.h"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "core/modules/parameter_names.h"
#include "core/passes/bucketing/eligibility.h"
#include "core/redistribution/chain_states.h"

namespace overlap {

namespace {

/// What a parameter and its gradient have in common.
struct GradientKey {
    std::string module;
    Extents local_shape;
    auto operator<=>(const GradientKey&) const = default;
};

class ChainCollector {
  public:
    ChainCollector(const Graph& graph, std::span<const double> times_ms) : graph_(graph), times_ms_(times_ms) {}

    GraphChains run() {
        collect_parameters();
        attach_gradients();
        for (ParameterChains& parameter : parameters_) {
            infer_states(graph_, parameter);
            // Where a chain ends before computation, what follows is not its own.
            for (RedistributionChain& chain : parameter.chains) count(chain);
        }
        std::erase_if(parameters_, [](const ParameterChains& parameter) { return parameter.chains.empty(); });
        return {std::move(parameters_), std::move(unmatched_)};
    }

  private:
    void collect_parameters() {
        std::map<NodeId, std::string> names;
        if (auto named = parameter_names(graph_)) names.insert(named->begin(), named->end());
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            if (graph_.op(node) != NodeOp::placeholder) continue;
            ParameterChains parameter;
            parameter.parameter = node;
            const auto name = names.find(node);
            parameter.name = name == names.end() ? std::string(graph_.name(node)) : name->second;
            named_.push_back(name != names.end());
            for (RedistributionPath& path : paths_from(graph_, node)) {
                parameter.chains.push_back(chain_of(std::move(path), RedistributionChain::Role::parameter));
            }
            parameters_.push_back(std::move(parameter));
        }
    }

    RedistributionChain chain_of(RedistributionPath path, RedistributionChain::Role role) const {
        RedistributionChain chain;
        chain.role = role;
        chain.path = std::move(path);
        count(chain);
        return chain;
    }

    /// The collectives along its path, with their bytes and times.
    void count(RedistributionChain& chain) const {
        chain.collectives.clear();
        chain.bytes = 0;
        chain.time_ms = 0;
        for (const PathAction& action : chain.path.actions) {
            if (!communicates(action.kind)) continue;
            chain.collectives.push_back(action.node);
            chain.bytes += collective_bytes(graph_, action.node);
            if (!times_ms_.empty()) chain.time_ms += times_ms_[action.node];
        }
    }

    static std::string module_of_name(const std::string& parameter) {
        const std::size_t dot = parameter.rfind('.');
        return dot == std::string::npos ? std::string() : parameter.substr(0, dot);
    }

    struct Gradient {
        NodeId output = no_node;
        RedistributionChain chain;
    };

    void attach_gradients() {
        // By key, in the order of the outputs; a tensor that is returned twice counts once.
        std::map<GradientKey, std::vector<Gradient>> gradients;
        const NodeId output = graph_.node_count() - 1;
        if (graph_.node_count() == 0 || graph_.op(output) != NodeOp::output) return;
        const bool modules_known = std::ranges::any_of(named_, [](bool named) { return named; });
        for (const NodeId value : graph_.inputs(output)) {
            std::optional<RedistributionPath> path = path_to(graph_, value);
            if (!path || path->actions.empty()) continue;
            const bool reduces = std::ranges::any_of(path->actions, [](const PathAction& action) {
                return action.kind == StepKind::all_reduce || action.kind == StepKind::reduce_scatter;
            });
            if (!reduces) continue;
            const NodeId last = path->actions.back().node;
            GradientKey key{modules_known ? std::string(graph_.text(graph_.metadata(last).module_fqn)) : "",
                            path->shape_after()};
            gradients[key].push_back({value, chain_of(std::move(*path), RedistributionChain::Role::gradient)});
        }
        std::map<GradientKey, std::vector<std::size_t>> owners;
        for (std::size_t index = 0; index < parameters_.size(); ++index) {
            const NodeId node = parameters_[index].parameter;
            if (modules_known ? !named_[index] : parameters_[index].chains.empty()) continue;
            if (graph_.outputs(node).size() != 1 || !graph_.outputs(node)[0].is_tensor) continue;
            const std::span<const std::int64_t> shape = graph_.shape(graph_.outputs(node)[0]);
            owners[{modules_known ? module_of_name(parameters_[index].name) : "", Extents(shape.begin(), shape.end())}]
                .push_back(index);
        }
        for (auto& [key, chains] : gradients) {
            const auto found = owners.find(key);
            const bool matched = found != owners.end() && found->second.size() == chains.size();
            for (std::size_t index = 0; index < chains.size(); ++index) {
                if (matched) {
                    parameters_[found->second[index]].chains.push_back(std::move(chains[index].chain));
                } else {
                    unmatched_.push_back(chains[index].output);
                }
            }
        }
    }

    const Graph& graph_;
    std::span<const double> times_ms_;
    std::vector<ParameterChains> parameters_;
    std::vector<NodeId> unmatched_;
    std::vector<bool> named_;  ///< of `parameters_`: the document names it
};

}  // namespace

GraphChains redistribution_chains(const Graph& graph, std::span<const double> times_ms) {
    return ChainCollector(graph, times_ms).run();
}

}  // namespace overlap
