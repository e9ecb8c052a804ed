#include "core/passes/scheduling/regions/schedule_to_dense_regions.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/graph/editing/graph_editor.h"
#include "core/passes/pass_support.h"
#include "core/passes/scheduling/regions/dense_region_options.h"
#include "core/passes/scheduling/regions/dense_regions.h"

namespace overlap {

namespace {

constexpr std::string_view pass_name = "schedule_fsdp_comms_to_dense_regions_pass";

/// The waited collectives of one layer, in graph order.
struct LayerCollectives {
    std::vector<const FsdpCollective*> forward_gathers, backward_gathers, scatters;
};

/// Something that keeps the reference from doing everything intended: an error when it is strict.
struct Obstacle {
    std::string message;
    NodeId node = no_node;
};

[[noreturn]] void refuse(const std::string& reason) {
    throw PassRefusal(std::string(pass_name), "", reason);
}

std::string layer_list(const std::vector<std::int64_t>& layers) {
    std::string text = layers.size() == 1 ? "layer " : "layers ";
    for (std::size_t index = 0; index < layers.size(); ++index) {
        text += (index > 0 ? ", " : "") + std::to_string(layers[index]);
    }
    return text;
}

class Scheduler {
  public:
    Scheduler(const std::shared_ptr<const Graph>& source, const DenseRegionSettings& settings)
        : source_(*source),
          settings_(settings),
          regions_(source_, settings.layer_count, settings.moe_layers),
          collectives_(source_, settings.layer_count, pass_name),
          launch_chain_(
              source_,
              {"bucketing._pre_bucket_all_gather.default", "bucketing._pre_bucket_reduce_scatter.default",
               "_c10d_functional.all_gather_into_tensor.default", "_c10d_functional.all_gather_into_tensor_out.default",
               "_c10d_functional.reduce_scatter_tensor.default", "aten.slice.Tensor"}),
          unpacking_(source_, {"operator.getitem", "aten._to_copy.default", "aten._unsafe_view.default",
                               "aten.clone.default", "aten.detach.default", "aten.reshape.default", "aten.slice.Tensor",
                               "aten.split_with_sizes.default", "aten.view.default", "aten.view.dtype"}),
          accumulation_(source_, {"aten.add_.Tensor"}),
          editor_(source) {
        for (const FsdpCollective& collective : collectives_.list) {
            if (!collective.layer || *collective.layer >= settings_.layer_count) continue;
            LayerCollectives& layer = layers_[*collective.layer];
            if (collective.is_gather) {
                (collective.backward ? layer.backward_gathers : layer.forward_gathers).push_back(&collective);
            } else if (collective.backward) {
                layer.scatters.push_back(&collective);
            }
        }
    }

    bool has_work() const { return collectives_.any_waited; }

    PassResult operator()() {
        if (settings_.bucket_counts) check_bucket_counts(*settings_.bucket_counts);
        if (settings_.counts_from_buckets) check_counts_of_marked_buckets();
        plan_moves();
        if (settings_.strict) refuse_obstacles("launches cannot be scheduled to dense regions");
        std::size_t sunk = 0;
        for (const FsdpCollective& collective : collectives_.list) {
            if (!collective.is_gather && sink_wait(collective.wait)) ++sunk;
        }
        PassReport report;
        report.pass = pass_name;
        for (const Move& move : moves_) {
            if (!move_before(move)) continue;
            report.orderings.push_back(
                {std::string(editor_.name(move.target)), std::string(editor_.name(move.launch))});
        }
        if (settings_.strict) refuse_obstacles("launches cannot be moved to the places chosen for them");
        if (sunk > 0 || !report.orderings.empty()) require_order(editor_, pass_name);
        report.problems = problems(sunk);
        PassResult result = finished(editor_, pass_name);
        result.report = std::move(report);
        return result;
    }

  private:
    struct Move {
        NodeId launch, target;
        std::string description;
    };

    /// What torchtitan's trainer does: it expects as many buckets as its plan has entries for each block
    /// (`get_transformer_block_bucket_counts`). Here the entries are those that the joint pass has marked.
    void check_counts_of_marked_buckets() const {
        const std::vector<std::vector<std::string>> entries = marked_plan_entries(source_);
        if (entries.empty()) return;
        std::map<std::int64_t, std::int64_t> counts;
        for (const std::vector<std::string>& entry : entries) {
            const auto layer = layer_of_entry(entry, settings_.layer_count, pass_name, "a bucket");
            if (layer) ++counts[*layer];
        }
        check_bucket_counts(counts);
    }

    void check_bucket_counts(const std::map<std::int64_t, std::int64_t>& expected) const {
        std::vector<std::int64_t> missing, surplus;
        std::string wrong;
        for (std::int64_t layer = 0; layer < settings_.layer_count; ++layer) {
            const auto count = expected.find(layer);
            if (count == expected.end()) {
                missing.push_back(layer);
                continue;
            }
            const auto found = layers_.find(layer);
            const LayerCollectives none;
            const LayerCollectives& has = found == layers_.end() ? none : found->second;
            const auto differs = [&](const auto& list) {
                return static_cast<std::int64_t>(list.size()) != count->second;
            };
            if (!differs(has.forward_gathers) && !differs(has.backward_gathers) && !differs(has.scatters)) continue;
            wrong += "; layer " + std::to_string(layer) + " has " + std::to_string(has.forward_gathers.size()) +
                     " forward gathers, " + std::to_string(has.backward_gathers.size()) + " backward gathers and " +
                     std::to_string(has.scatters.size()) + " scatters where " + std::to_string(count->second) +
                     " each are expected";
        }
        for (const auto& [layer, count] : expected) {
            if (layer < 0 || layer >= settings_.layer_count) surplus.push_back(layer);
        }
        if (!surplus.empty()) wrong.insert(0, "; " + layer_list(surplus) + " does not exist");
        if (!missing.empty()) wrong.insert(0, "; no count is expected for " + layer_list(missing));
        if (wrong.empty()) return;
        refuse(
            "the buckets of transformer blocks are not those that transformer_bucket_counts_by_layer expects, and "
            "torchtitan raises a ValueError" +
            wrong);
    }

    void plan_moves() {
        const auto& layers = regions_.layers;
        const auto plan_all = [&](const std::vector<const FsdpCollective*>& list, const std::vector<NodeId>& region,
                                  const std::string& description) {
            for (const FsdpCollective* collective : list) plan_move(*collective, region, description);
        };
        for (const auto& [layer, collectives] : layers_) {
            const auto place = static_cast<std::size_t>(layer);
            const std::string of_layer = " of layer " + std::to_string(layer) + " to layer ";
            if (place > 0 && !layers[place - 1].forward.empty()) {
                plan_all(collectives.forward_gathers, layers[place - 1].forward,
                         "forward gather" + of_layer + std::to_string(layer - 1));
            }
            if (place + 1 < layers.size() && !layers[place + 1].backward.empty()) {
                plan_all(collectives.backward_gathers, layers[place + 1].backward,
                         "backward gather" + of_layer + std::to_string(layer + 1));
            }
            if (place > 0 && !layers[place - 1].backward.empty()) {
                plan_all(collectives.scatters, layers[place - 1].backward,
                         "scatter" + of_layer + std::to_string(layer - 1));
            }
        }
        if (layers.empty()) return;
        for (const FsdpCollective& collective : collectives_.list) {
            if (collective.layer != settings_.layer_count || collective.is_gather == collective.backward) continue;
            plan_move(collective, collective.backward ? layers.back().backward : layers.back().forward,
                      std::string(collective.is_gather ? "forward gather" : "scatter") +
                          " of norm and lm_head to the last layer");
        }
        const auto last = layers_.find(settings_.layer_count - 1);
        if (last != layers_.end() && !regions_.top.backward.empty()) {
            plan_all(last->second.backward_gathers, regions_.top.backward,
                     "backward gather of the last layer to norm and lm_head");
        }
    }

    void plan_move(const FsdpCollective& collective, const std::vector<NodeId>& region,
                   const std::string& description) {
        if (region.empty()) {
            obstacles_.push_back({description + ": no dense compute is there", collective.launch});
            return;
        }
        // The place is the first dense node after everything that the launch needs.
        const std::vector<NodeId> chain = chain_of(collective.launch);
        NodeId behind = 0;
        for (const NodeId node : chain) {
            for (const NodeId input : editor_.inputs(node)) {
                if (std::ranges::find(chain, input) == chain.end()) behind = std::max(behind, input + 1);
            }
        }
        const auto target = std::ranges::lower_bound(region, behind);
        if (target == region.end()) {
            obstacles_.push_back({description + ": what it needs comes after that compute", collective.launch});
        } else {
            moves_.push_back({collective.launch, *target, description});
        }
    }

    /// The launch and the nodes above it that only prepare it.
    std::vector<NodeId> chain_of(NodeId launch) const {
        std::vector<NodeId> chain, stack = {launch};
        while (!stack.empty()) {
            const NodeId node = stack.back();
            stack.pop_back();
            if (!launch_chain_.has(editor_.record(node)) || std::ranges::find(chain, node) != chain.end()) continue;
            chain.push_back(node);
            const std::span<const NodeId> inputs = editor_.inputs(node);
            stack.insert(stack.end(), inputs.begin(), inputs.end());
        }
        return chain;
    }

    /// Why a user of a reduced value cannot move to the end with its wait; empty when it can.
    std::string reason_to_stay(NodeId node, const std::set<NodeId>& closure) const {
        if (unpacking_.has(editor_.record(node))) return {};
        const std::string user = "its user " + in_quotes(editor_.name(node));
        if (!accumulation_.has(editor_.record(node))) return user + " does more than unpack it";
        const NodeId sum = editor_.node_argument(node, 0);
        if (sum == no_node) return user + " adds to no node";
        bool shared = false;
        editor_.for_each_user(sum, [&](NodeId other) {
            shared |= other != node && !closure.contains(other) && editor_.op(other) != NodeOp::output;
        });
        return shared ? user + " adds to " + in_quotes(editor_.name(sum)) + ", which other nodes read" : std::string();
    }

    /// Moves the wait of a scatter, with what unpacks it, to the end of the graph.
    bool sink_wait(NodeId wait) {
        std::set<NodeId> closure;
        std::vector<NodeId> stack = {wait};
        while (!stack.empty()) {
            const NodeId node = stack.back();
            stack.pop_back();
            if (closure.contains(node)) continue;
            if (const std::string reason = node == wait ? "" : reason_to_stay(node, closure); !reason.empty()) {
                obstacles_.push_back({in_quotes(editor_.name(wait)) + " cannot wait until the end: " + reason, wait});
                return false;
            }
            closure.insert(node);
            for (const NodeId user : editor_.users(node)) {
                if (editor_.op(user) != NodeOp::output && !closure.contains(user)) stack.push_back(user);
            }
        }
        // In the order of the input, whatever earlier waits changed: numbers of nodes are their places there.
        const NodeId output = output_node();
        for (const NodeId node : closure) editor_.move_before(node, output);
        return true;
    }

    NodeId output_node() const {
        for (NodeId node = editor_.last(); node != no_node; node = editor_.previous(node)) {
            if (editor_.op(node) == NodeOp::output) return node;
        }
        refuse("the graph has no output, and torchtitan raises a StopIteration");
    }

    /// Moves a launch with the movable part of its chain; false when nothing can move.
    bool move_before(const Move& move) {
        std::vector<NodeId> movable = chain_of(move.launch);
        const auto stays = [&](NodeId node) { return std::ranges::find(movable, node) == movable.end(); };
        const auto is_pinned = [&](NodeId node) {
            for (const NodeId input : editor_.inputs(node)) {
                if (stays(input) && !editor_.is_before(input, move.target)) return true;
            }
            bool stranded = false;
            if (editor_.is_before(node, move.target)) {
                editor_.for_each_user(
                    node, [&](NodeId user) { stranded |= stays(user) && editor_.is_before(user, move.target); });
            }
            return stranded;
        };
        for (auto pinned = movable.begin(); pinned != movable.end();) {
            pinned = std::ranges::find_if(movable, is_pinned);
            if (pinned != movable.end()) movable.erase(pinned), pinned = movable.begin();
        }
        if (movable.empty()) {
            obstacles_.push_back({move.description + ": everything is held in front of " +
                                      in_quotes(editor_.name(move.target)) + " by its inputs or users",
                                  move.launch});
            return false;
        }
        std::ranges::sort(movable, [&](NodeId left, NodeId right) { return editor_.is_before(left, right); });
        for (const NodeId node : movable) editor_.move_before(node, move.target);
        return true;
    }

    void refuse_obstacles(const std::string& title) const {
        if (obstacles_.empty()) return;
        std::string reason = title + ", and torchtitan raises a ValueError because the option strict is set";
        constexpr std::size_t shown = 3;
        for (std::size_t index = 0; index < std::min(shown, obstacles_.size()); ++index) {
            reason += "; " + obstacles_[index].message;
        }
        if (obstacles_.size() > shown) reason += "; and " + std::to_string(obstacles_.size() - shown) + " more";
        refuse(reason);
    }

    std::vector<Problem> problems(std::size_t sunk) const {
        std::vector<Problem> problems;
        if (sunk > 0) {
            Problem problem;
            problem.kind = ProblemKind::waits_at_end;
            problem.title = "Waits at the end";
            problem.message = std::to_string(sunk) + (sunk == 1 ? " wait" : " waits") +
                              " of reduce-scatters go to the end of the graph, because only the result needs them";
            problems.push_back(std::move(problem));
        }
        for (const Obstacle& obstacle : obstacles_) {
            Problem problem;
            problem.severity = Severity::caution;
            problem.kind = ProblemKind::not_scheduled;
            problem.title = "Stays in place";
            problem.message = obstacle.message;
            problem.nodes = {std::string(editor_.name(obstacle.node))};
            problems.push_back(std::move(problem));
        }
        return problems;
    }

    const Graph& source_;
    const DenseRegionSettings& settings_;
    DenseRegions regions_;
    FsdpCollectives collectives_;
    TargetSet launch_chain_, unpacking_, accumulation_;
    GraphEditor editor_;
    std::map<std::int64_t, LayerCollectives> layers_;
    std::vector<Move> moves_;
    std::vector<Obstacle> obstacles_;
};

}  // namespace

std::string_view ScheduleToDenseRegions::summary() const {
    return "Moves launches of bucketed FSDP collectives into the attention of the neighbouring layer, away from token "
           "exchange";
}

std::span<const PassOption> ScheduleToDenseRegions::options() const {
    return dense_region_options();
}

PassResult ScheduleToDenseRegions::run(const std::shared_ptr<const Graph>& graph, const Options& options,
                                       std::stop_token) const {
    const DenseRegionSettings settings = dense_region_settings(options);
    Scheduler scheduler(graph, settings);
    return scheduler.has_work() ? scheduler() : unchanged(graph, name());
}

}  // namespace overlap
