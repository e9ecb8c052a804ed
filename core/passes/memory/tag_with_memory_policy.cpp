#include "core/passes/memory/tag_with_memory_policy.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/base/byte_units.h"
#include "core/base/number_text.h"
#include "core/base/wording.h"
#include "core/graph/editing/graph_editor.h"
#include "core/passes/memory/layers.h"
#include "core/passes/memory/memory_operators.h"
#include "core/passes/memory/memory_rules.h"
#include "core/passes/memory/offload_candidates.h"
#include "core/passes/memory/recompute_tags.h"
#include "core/passes/memory/rule_tags.h"
#include "core/passes/memory/save_selectors.h"
#include "core/passes/memory/symbolic_tensors.h"
#include "core/passes/option_table.h"
#include "core/passes/pass_support.h"
#include "core/passes/shell_pattern.h"
#include "core/passes/unshard_finder.h"

namespace overlap {

namespace {

using namespace memory;

constexpr std::string_view pass_name = "tag_with_memory_policy_pass";

enum class Policy { by_operator, full, eager, by_operator_and_offload };

/// In the order of the enumeration; names of the reference.
constexpr std::array policy_names = {"default", "full", "eager", "sac_and_offload"};

/// The pass's options, by the names that they have in the trainer's configuration.
struct Settings {
    std::string memory_policy = policy_names[0];
    std::string full_recompute_save_ops;
    double cpu_offload_budget_gb = 100;
    bool reshard_after_forward = true;
    std::string rules;

    Policy policy() const {
        return static_cast<Policy>(std::ranges::find(policy_names, memory_policy) - policy_names.begin());
    }
};

const OptionTable<Settings>& table() {
    static const auto table =
        OptionTable<Settings>()
            .add({.name = "memory_policy",
                  .help = "What is kept from forward to backward: outputs of expensive operators (default), ends of "
                          "layers only (full), every second matrix product (eager), or as default with the largest on "
                          "the host (sac_and_offload).",
                  .choices = {policy_names.begin(), policy_names.end()}},
                 &Settings::memory_policy)
            .add({.name = "full_recompute_save_ops",
                  .help = "Exceptions from the policy full, such as layers.*.attention.wq::aten.mm.default, separated "
                          "by |; their outputs are saved."},
                 &Settings::full_recompute_save_ops)
            .add({.name = "cpu_offload_budget_gb",
                  .help = "GiB of host memory that a rank may use for offloaded tensors; 0 is no limit.",
                  .usual_maximum = 200},
                 &Settings::cpu_offload_budget_gb)
            .add({.name = "reshard_after_forward",
                  .help = "Whether parameters are gathered again for the backward pass; the policies default and "
                          "sac_and_offload keep them gathered otherwise."},
                 &Settings::reshard_after_forward)
            .add({.name = "rules",
                  .help = "Exceptions from the policy, such as recompute layers.0 :: aten.mm.default | keep layers.31, "
                          "the last that names a node counts: save, recompute, offload; keep, reshard for gathered "
                          "parameters.",
                  .of_reference = false},
                 &Settings::rules);
    return table;
}

/// Decides the tags of one graph.
class Tagger {
  public:
    Tagger(const Graph& graph, const Settings& settings)
        : graph_(graph),
          settings_(settings),
          policy_(settings.policy()),
          operators_(graph),
          symbolic_(graph),
          layers_(layers_of_nodes(graph)),
          tags_(recompute_tags(graph, pass_name)),
          selectors_(read_selectors()) {}

    void run() {
        if (saves_by_operator() && !settings_.reshard_after_forward) force_gathered_parameters();
        tag_forward_nodes();
        const std::vector<RecomputeTag> policy_tags = tags_;
        apply_rules();
        save_ends_of_layers(policy_tags);
        if (policy_ == Policy::by_operator_and_offload) {
            offloads_ = choose_offloads(graph_, operators_, layers_, tags_, settings_.cpu_offload_budget_gb,
                                        {by_rules_.decided, by_rules_.offloaded_bytes});
        }
    }

    const std::vector<RecomputeTag>& tags() const { return tags_; }
    const OffloadChoice& offloads() const { return offloads_; }
    const RuleTags& by_rules() const { return by_rules_; }

  private:
    bool saves_by_operator() const {
        return policy_ == Policy::by_operator || policy_ == Policy::by_operator_and_offload;
    }

    std::vector<SaveSelector> read_selectors() const {
        if (settings_.full_recompute_save_ops.empty()) return {};
        if (policy_ != Policy::full) {
            throw PassRefusal(std::string(pass_name), "option full_recompute_save_ops",
                              "it needs the memory_policy full, and torchtitan raises a ValueError");
        }
        return read_save_selectors(settings_.full_recompute_save_ops, graph_, pass_name);
    }

    void force_gathered_parameters() {
        forced_.resize(graph_.node_count());
        const UnshardOperators operators(graph_);
        const UnshardFinder<Graph> finder(graph_, operators, pass_name);
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            if (graph_.op(node) != NodeOp::placeholder) continue;
            for (const NodeId output : finder.outputs_of(node)) forced_[output] = 1;
        }
    }

    void apply_rules() {
        const std::vector<MemoryRule> rules = read_rules();
        if (rules.empty()) return;
        by_rules_ = tags_by_rules(graph_, operators_, rules, tags_, pass_name);
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            if (by_rules_.tags[node] != RecomputeTag::none) tags_[node] = by_rules_.tags[node];
        }
    }

    std::vector<MemoryRule> read_rules() const {
        try {
            return read_memory_rules(settings_.rules);
        } catch (const InputError& error) {
            throw PassRefusal(std::string(pass_name), "option rules, " + error.place(), error.problem());
        }
    }

    void tag_forward_nodes() {
        StringId last_module = empty_string;
        bool skipped = false;
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            const NodeMetadata& metadata = graph_.metadata(node);
            const NodeRecord& record = graph_.record(node);
            if (record.op != NodeOp::call_function || is_backward(metadata)) continue;
            if (metadata.module_fqn != last_module) {
                last_module = metadata.module_fqn;
                skipped = is_behind_layers(graph_.text(last_module));
            }
            if (!skipped) tag(node, record);
        }
    }

    void tag(NodeId node, const NodeRecord& record) {
        if (!forced_.empty() && forced_[node]) {
            tags_[node] = RecomputeTag::must_save;
        } else if (operators_.has(record, MemoryOperators::getitem | MemoryOperators::awaits_collective)) {
            const Value* parent = graph_.argument(node, 0);
            if (!parent) {
                refuse_node(pass_name, graph_.name(node),
                            "it has no positional argument, and torchtitan raises an IndexError");
            }
            if (parent->is(ValueKind::node) && tags_[parent->node] != RecomputeTag::none) {
                tags_[node] = tags_[parent->node];
            }
        } else if (symbolic_.is_scalar(node, pass_name)) {
            tags_[node] = RecomputeTag::must_save;
        } else {
            tags_[node] = by_policy(node, record);
        }
    }

    RecomputeTag by_policy(NodeId node, const NodeRecord& record) {
        const bool saved = operators_.has(record, MemoryOperators::saved);
        if (policy_ == Policy::full) {
            const bool is_kept = operators_.has(record, MemoryOperators::seeded) || is_selected(node);
            return is_kept ? RecomputeTag::must_save : RecomputeTag::must_recompute;
        }
        if (policy_ == Policy::eager && is_second_product(node, record) && saved) return RecomputeTag::prefer_recompute;
        return saved ? RecomputeTag::must_save : RecomputeTag::prefer_recompute;
    }

    bool is_selected(NodeId node) const {
        return std::ranges::any_of(selectors_, [&](const SaveSelector& selector) {
            return graph_.target(node) == selector.target &&
                   matches_module_pattern(graph_.text(graph_.metadata(node).module_fqn), selector.modules);
        });
    }

    /// Counts the matrix products of each run of nodes of one layer; nodes outside layers count on.
    bool is_second_product(NodeId node, const NodeRecord& record) {
        if (layers_[node] != not_in_layers && layers_[node] != current_layer_) {
            products_ = 0;
            current_layer_ = layers_[node];
        }
        return operators_.has(record, MemoryOperators::counted_product) && ++products_ % 2 == 0;
    }

    /// What a later layer computes from is saved: to compute it again would mean to compute its layer again. So it is
    /// where a rule saves what the policy alone would compute from it: the layer's backward may read it all the same.
    void save_ends_of_layers(std::span<const RecomputeTag> policy_tags) {
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            if (!is_recomputable(tags_[node]) || is_backward(graph_.metadata(node))) continue;
            const auto is_later = [&](NodeId user) {
                return layers_[user] > layers_[node] && !is_backward(graph_.metadata(user)) &&
                       (is_recomputable(tags_[user]) || is_recomputable(policy_tags[user]));
            };
            if (std::ranges::any_of(graph_.users(node), is_later)) tags_[node] = RecomputeTag::must_save;
        }
    }

    const Graph& graph_;
    const Settings& settings_;
    const Policy policy_;
    MemoryOperators operators_;
    SymbolicTensors symbolic_;
    std::vector<std::int64_t> layers_;
    std::vector<RecomputeTag> tags_;
    std::vector<SaveSelector> selectors_;
    std::vector<std::uint8_t> forced_;  ///< by node; empty where none is
    std::int64_t current_layer_ = not_in_layers;
    std::int64_t products_ = 0;
    RuleTags by_rules_;
    OffloadChoice offloads_;
};

/// The unknown fields of each node, with its tag. Nodes without other fields, which are most, share those of their tag.
std::shared_ptr<const Graph> with_tags(const Graph& graph, std::span<const RecomputeTag> tags) {
    const auto strings = std::make_shared<StringPool>(graph.strings());
    std::vector<StringId> fields(graph.node_count());
    std::unordered_map<std::uint64_t, StringId> known;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const StringId before = graph.metadata(node).extra_json;
        fields[node] = before;
        if (tags[node] == RecomputeTag::none) continue;
        const std::uint64_t key = (std::uint64_t{before} << 8) | static_cast<std::uint64_t>(tags[node]);
        const auto [entry, is_new] = known.try_emplace(key);
        if (is_new) entry->second = strings->intern(with_recompute_tag(graph.text(before), tags[node]));
        fields[node] = entry->second;
    }
    return GraphEditor::with_extra_json(graph, strings, std::move(fields));
}

Problem decided(const Graph& graph, const Tagger& tagger) {
    std::size_t saved = 0, recomputed = 0;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        saved += tagger.tags()[node] == RecomputeTag::must_save;
        recomputed += is_recomputable(tagger.tags()[node]);
    }
    Problem problem;
    problem.kind = ProblemKind::memory_tags;
    problem.title = "Memory policy";
    problem.message = "outputs of " + std::to_string(saved) + " nodes are to be saved, of " +
                      std::to_string(recomputed) + " to be computed again";
    const OffloadChoice& offloads = tagger.offloads();
    if (offloads.candidates > 0) {
        problem.message += ", and of " + std::to_string(offloads.chosen) + " of " +
                           std::to_string(offloads.candidates) + " that can be offloaded, " +
                           bytes_text(offloads.bytes) + " go to the host";
    }
    const RuleTags& by_rules = tagger.by_rules();
    if (by_rules.nodes > 0) problem.message += "; rules decide " + counted(by_rules.nodes, "node");
    if (by_rules.offloaded_bytes > 0)
        problem.message += " and send " + bytes_text(by_rules.offloaded_bytes) + " to the host";
    return problem;
}

/// Rules are obeyed beyond the budget, which is then a limit that somebody should know to be exceeded.
std::optional<Problem> budget_exceeded(const Settings& settings, const RuleTags& by_rules) {
    const double budget = settings.cpu_offload_budget_gb * bytes_per_gib;
    if (budget <= 0 || static_cast<double>(by_rules.offloaded_bytes) <= budget) return {};
    return caution(ProblemKind::offload_budget_exceeded, "Offload budget exceeded",
                   "rules send " + bytes_text(by_rules.offloaded_bytes) + " to the host, more than the budget of " +
                       bytes_text(static_cast<std::int64_t>(budget)) + " (cpu_offload_budget_gb)");
}

}  // namespace

std::string_view TagWithMemoryPolicy::summary() const {
    return "Decides by a policy which outputs of the forward pass are saved, computed again or offloaded";
}

std::span<const PassOption> TagWithMemoryPolicy::options() const {
    return table().options();
}

PassResult TagWithMemoryPolicy::run(const std::shared_ptr<const Graph>& graph, const Options& options,
                                    std::stop_token) const {
    return or_refused(name(), [&] {
        const Settings settings = table().read(options);
        Tagger tagger(*graph, settings);
        tagger.run();
        PassResult result = unchanged(graph, name());
        result.graph = with_tags(*graph, tagger.tags());
        result.report.problems.push_back(decided(*graph, tagger));
        std::ranges::copy(tagger.by_rules().problems, std::back_inserter(result.report.problems));
        if (auto exceeded = budget_exceeded(settings, tagger.by_rules()))
            result.report.problems.push_back(std::move(*exceeded));
        return result;
    });
}

}  // namespace overlap
