#include "core/passes/scheduling/low_contention_collectives.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/quote.h"
#include "core/base/wording.h"
#include "core/cost/control_deps.h"
#include "core/passes/default_names.h"
#include "core/passes/option_table.h"
#include "core/passes/pass_support.h"
#include "core/passes/scheduling/symbolic_sizes.h"

namespace overlap {

namespace {

constexpr std::string_view pass_name = "replace_collectives_with_low_contention";
constexpr std::string_view gather_operator = "_c10d_functional.all_gather_into_tensor.default",
                           gather_out_operator = "_c10d_functional.all_gather_into_tensor_out.default",
                           scatter_operator = "_c10d_functional.reduce_scatter_tensor.default";
constexpr std::string_view low_gather = "symm_mem._low_contention_all_gather.default",
                           multicast_gather = "symm_mem._low_contention_all_gather_ce_multicast.default",
                           multicast_gather_out = "symm_mem._low_contention_all_gather_ce_multicast_out.default",
                           low_scatter = "symm_mem._low_contention_reduce_scatter.default";

/// Fields of torch._inductor.config.aten_distributed_optimizations.
struct Settings {
    std::int64_t min_bytes_per_rank = 16 * 1024 * 1024;
    bool skip_overlap_check = false;
    bool multicast = false;
};

const OptionTable<Settings>& table() {
    static const OptionTable<Settings> options = [] {
        OptionTable<Settings> made;
        made.add({.name = "low_contention_min_bytes_per_rank",
                  .help = "Collectives of fewer bytes of a rank stay as they are, since barriers would cost more than "
                          "is won; 0 leaves none out.",
                  .minimum = 0,
                  .usual_maximum = 256.0 * 1024 * 1024},
                 &Settings::min_bytes_per_rank)
            .add({.name = "low_contention_skip_overlap_check",
                  .help = "Replaces collectives too that no product hides, or that run beside those of other groups."},
                 &Settings::skip_overlap_check)
            .add({.name = "low_contention_all_gather_ce_multicast",
                  .help = "All-gathers write to all ranks at once, by multicast of NVSwitch."},
                 &Settings::multicast);
        return made;
    }();
    return options;
}

/// A collective that may be replaced.
struct Candidate {
    NodeId start = no_node, wait = no_node;
    bool gathers = false, into_buffer = false;
    std::string_view group;
};

/// Why the others were not.
struct Left {
    std::size_t small = 0, not_hidden = 0, beside_others = 0, into_buffer = 0;
};

class Replacer {
  public:
    Replacer(const Graph& graph, const Settings& settings) : graph_(graph), settings_(settings), sizes_(graph) {
        const TargetSet gathers(graph, {gather_operator, gather_out_operator}), into(graph, {gather_out_operator}),
            scatters(graph, {scatter_operator});
        for (NodeId node = 0; node < graph.node_count(); ++node) {
            const NodeRecord& record = graph.record(node);
            const bool is_gather = gathers.has(record);
            if (!is_gather && !scatters.has(record)) continue;
            Candidate found;
            found.start = node;
            found.gathers = is_gather;
            found.into_buffer = into.has(record);
            found.group = graph.group_name(node);
            if (found.group.empty())
                refuse_node(pass_name, graph.name(node), "its process group is no name, and PyTorch raises");
            found.wait = wait_of(found);
            candidates_.push_back(found);
            of_group_[found.group].push_back(node);
        }
    }

    bool any() const { return !candidates_.empty(); }

    PassResult run(const std::shared_ptr<const Graph>& graph) {
        std::vector<const Candidate*> chosen;
        if (!settings_.skip_overlap_check) count_products();
        for (const Candidate& candidate : candidates_) {
            if (is_chosen(candidate)) chosen.push_back(&candidate);
        }
        if (chosen.empty()) return told(unchanged(graph, pass_name), 0);
        GraphEditor editor(graph);
        for (const Candidate* candidate : chosen) replace(editor, *candidate);
        return told(finished(editor, pass_name), chosen.size());
    }

  private:
    /// The node that awaits a collective, by its operator or its name, as the reference finds it.
    NodeId wait_of(const Candidate& candidate) const {
        const auto among = [&](NodeId node) {
            for (const NodeId user : graph_.users(node)) {
                if (graph_.op(user) != NodeOp::call_function) continue;
                if (graph_.target_info(user).is_wait || graph_.name(user).find("wait_tensor") != std::string_view::npos)
                    return user;
            }
            return no_node;
        };
        if (const NodeId wait = among(candidate.start); wait != no_node || !candidate.into_buffer) return wait;
        const Value* buffer = graph_.keyword(candidate.start, "out");
        return buffer && buffer->is(ValueKind::node) ? among(buffer->node) : no_node;
    }

    /// How many products stand before each node.
    void count_products() {
        products_before_.assign(graph_.node_count() + 1, 0);
        std::vector<bool> is_product(graph_.node_count());
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            is_product[node] = graph_.op(node) == NodeOp::call_function && graph_.target_info(node).traits.compute;
        }
        for (const WrappedOperation& wrapped : wrapped_operations(graph_)) {
            if (wrapped.formula != FlopFormula::none) is_product[wrapped.node] = true;
        }
        for (NodeId node = 0; node < graph_.node_count(); ++node)
            products_before_[node + 1] = products_before_[node] + (is_product[node] ? 1 : 0);
    }

    bool is_chosen(const Candidate& candidate) {
        if (settings_.min_bytes_per_rank > 0 && is_small(candidate)) {
            ++left_.small;
            return false;
        }
        if (!settings_.skip_overlap_check) {
            if (candidate.wait == no_node) {
                ++left_.not_hidden;
                return false;
            }
            // A wait that stands before its collective ends nothing.
            const NodeId end = candidate.wait > candidate.start ? candidate.wait : graph_.node_count();
            if (products_before_[end] == products_before_[candidate.start + 1]) {
                ++left_.not_hidden;
                return false;
            }
            if (has_others_between(candidate, end)) {
                ++left_.beside_others;
                return false;
            }
        }
        if (candidate.into_buffer && !settings_.multicast) {
            ++left_.into_buffer;
            return false;
        }
        return true;
    }

    bool has_others_between(const Candidate& candidate, NodeId end) const {
        return std::ranges::any_of(of_group_, [&](const auto& others) {
            if (others.first == candidate.group) return false;
            const auto next = std::ranges::upper_bound(others.second, candidate.start);
            return next != others.second.end() && *next < end;
        });
    }

    bool is_small(const Candidate& candidate) const {
        const Value* given = graph_.argument(candidate.start, 0);
        if (!given || !given->is(ValueKind::node)) return false;
        const NodeId input = given->node;
        const auto outputs = graph_.outputs(input);
        if (graph_.record(input).multi || outputs.size() != 1 || !outputs.front().is_tensor) return false;
        if (sizes_.is_symbolic(input, 0))
            refuse_node(pass_name, graph_.name(candidate.start),
                        "its size is known only when the job runs, and PyTorch raises");
        std::int64_t bytes = graph_.element_count(outputs.front()) * dtype_info(outputs.front().dtype).bytes;
        if (!candidate.gathers) {
            const Value* ranks = graph_.argument(candidate.start, 2);
            if (!ranks || !ranks->is(ValueKind::integer) || ranks->integer <= 0) return false;
            bytes /= ranks->integer;
        }
        return bytes < settings_.min_bytes_per_rank;
    }

    void replace(GraphEditor& editor, const Candidate& candidate) const {
        const auto argument = [&](std::size_t place) {
            const Value* value = editor.argument(candidate.start, place);
            if (!value)
                refuse_node(pass_name, graph_.name(candidate.start),
                            "what the reference reads by place is a keyword, and PyTorch raises an IndexError");
            return *value;
        };
        std::string_view target = low_scatter;
        std::vector<Value> arguments = {argument(0)};
        if (!candidate.gathers) arguments.push_back(argument(1));
        arguments.push_back(Value::of_string(editor.intern(candidate.group)));
        if (candidate.gathers) target = settings_.multicast ? multicast_gather : low_gather;
        if (candidate.into_buffer) {
            const Value* buffer = editor.keyword(candidate.start, "out");
            if (!buffer)
                refuse_node(pass_name, graph_.name(candidate.start), "it has no keyword out, and PyTorch raises");
            target = multicast_gather_out;
            arguments.push_back(*buffer);
        }
        const std::string name = default_name_of_call(target);
        const std::vector<TensorMeta> outputs(graph_.outputs(candidate.start).begin(),
                                              graph_.outputs(candidate.start).end());
        const NodeMetadata metadata = editor.metadata(candidate.start);
        GraphEditor::NewNode node;
        node.base_name = name;
        node.target = editor.target_index(target);
        node.args = editor.list(arguments);
        node.kwargs = editor.dictionary({});
        node.outputs = outputs;
        node.multi = graph_.record(candidate.start).multi;
        node.metadata = &metadata;
        const NodeId made = editor.create(node, candidate.start);
        editor.replace_all_uses(candidate.start, made);
        editor.erase(candidate.start);
    }

    PassResult told(PassResult result, std::size_t replaced) const {
        std::string message = std::to_string(replaced) + " of " + counted(candidates_.size(), "collective") +
                              " run on copy engines, which needs symmetric memory among all ranks of a group: NVLink";
        const auto add = [&](std::size_t count, std::string_view reason) {
            if (count > 0) message.append("; ").append(std::to_string(count)).append(reason);
        };
        add(left_.small, " stay because a rank has fewer bytes than low_contention_min_bytes_per_rank");
        add(left_.not_hidden, " because no product hides them");
        add(left_.beside_others, " because collectives of other groups run beside them");
        add(left_.into_buffer, " because they gather into a buffer, which multicast alone can");
        Problem problem;
        problem.title = "Copy engines";
        problem.message = std::move(message);
        result.report.problems.push_back(std::move(problem));
        return result;
    }

    const Graph& graph_;
    const Settings& settings_;
    const scheduling::SymbolicSizes sizes_;
    std::vector<Candidate> candidates_;                         ///< in graph order
    std::map<std::string_view, std::vector<NodeId>> of_group_;  ///< the same by process group
    std::vector<std::uint32_t> products_before_;
    Left left_;
};

}  // namespace

std::string_view LowContentionCollectives::summary() const {
    return "Lets copy engines carry out collectives that products hide, so that they take no multiprocessors";
}

std::span<const PassOption> LowContentionCollectives::options() const {
    return table().options();
}

PassResult LowContentionCollectives::run(const std::shared_ptr<const Graph>& graph, const Options& options,
                                         std::stop_token) const {
    const Settings settings = table().read(options);
    Replacer replacer(*graph, settings);
    return replacer.any() ? replacer.run(graph) : unchanged(graph, name());
}

}  // namespace overlap
