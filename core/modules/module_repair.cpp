#include "core/modules/module_repair.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <ranges>
#include <unordered_map>

#include "core/base/wording.h"
#include "core/graph/direction.h"
#include "core/graph/editing/graph_editor.h"
#include "core/graph/module_tree.h"
#include "core/modules/home_module.h"
#include "core/modules/rule_matches.h"

namespace overlap {

namespace {

/// The class that torch would name is not known.
constexpr std::string_view module_class = "torch.nn.modules.module.Module";

bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string_view first_component(std::string_view path) {
    return path.substr(0, path.find('.'));
}

/// The module that what stands between nodes of two modules belongs to: the deepest that holds both; between two
/// numbered blocks, such as layers.3 and layers.4, the one that has begun, `before`; nothing if they share nothing.
std::string_view module_between(std::string_view before, std::string_view behind) {
    std::size_t shared = 0;
    while (shared < before.size() || shared < behind.size()) {
        const std::string_view left = first_component(before.substr(std::min(shared, before.size())));
        const std::string_view right = first_component(behind.substr(std::min(shared, behind.size())));
        if (left.empty() || right.empty() || left != right) {
            if (is_number(left) && is_number(right)) return before.substr(0, shared + left.size());
            break;
        }
        shared += left.size() + 1;
    }
    return before.substr(0, shared == 0 ? 0 : std::min(shared - 1, before.size()));
}

class Repair {
  public:
    Repair(const std::shared_ptr<const Graph>& graph, const std::vector<ModuleRule>& rules)
        : source_(graph), rules_(rules), paths_(graph->node_count()) {
        result_.graph = graph;
        result_.rule_of_node.assign(graph->node_count(), -1);
        result_.outcomes.resize(rules.size());
        for (NodeId node = 0; node < graph->node_count(); ++node) {
            const NodeMetadata& metadata = graph->metadata(node);
            uses_stacks_ |= metadata.module_stack != 0 || metadata.fwd_module_stack != 0;
            uses_names_ |= metadata.module_fqn != empty_string;
        }
        read_own_modules();
    }

    /// @returns an unfinished result when `stop` was requested.
    RepairedModules run(const std::stop_token& stop) {
        std::vector<RuleMatches> matches = match_rules(*source_, rules_, stop);
        for (std::size_t rule = 0; rule < rules_.size(); ++rule) {
            if (stop.stop_requested()) return std::move(result_);
            if (rules_[rule].kind == ModuleRule::Kind::neighbours) {
                follow_sequence_numbers();
                join_neighbours(rule);
                continue;
            }
            result_.outcomes[rule].ambiguous = matches[rule].ambiguous;
            result_.outcomes[rule].problem = std::move(matches[rule].problem);
            for (auto& [node, path] : matches[rule].nodes) give(rule, node, std::move(path));
        }
        follow_sequence_numbers();
        if (!stop.stop_requested()) store();
        return std::move(result_);
    }

  private:
    bool has_own(NodeId node) const {
        const NodeMetadata& metadata = source_->metadata(node);
        return metadata.module_stack != 0 || metadata.fwd_module_stack != 0 || metadata.module_fqn != empty_string;
    }

    /// Modules that the graph has: neighbours look at them.
    void read_own_modules() {
        if (!uses_stacks_ && !uses_names_) return;
        const ModuleTree tree(*source_, uses_stacks_ ? ModuleSource::module_stack : ModuleSource::module_fqn);
        const std::vector<ModuleTree::ModuleId> homes = home_modules(tree, source_->node_count());
        std::vector<std::string> of_module(tree.module_count());
        for (ModuleTree::ModuleId id = 1; id < tree.module_count(); ++id) of_module[id] = tree.path(id);
        for (NodeId node = 0; node < source_->node_count(); ++node)
            if (homes[node] != ModuleTree::no_module) paths_[node] = of_module[homes[node]];
    }

    void give(std::size_t rule, NodeId node, std::string path) {
        RuleOutcome& outcome = result_.outcomes[rule];
        if (result_.rule_of_node[node] >= 0) {
            ++outcome.earlier;
        } else if (has_own(node) && !rules_[rule].override_own) {
            ++outcome.own;
        } else {
            result_.rule_of_node[node] = static_cast<std::int32_t>(rule);
            paths_[node] = std::move(path);
            ++outcome.nodes;
        }
    }

    bool is_open(NodeId node) const {
        return source_->op(node) == NodeOp::call_function && result_.rule_of_node[node] < 0 && !has_own(node);
    }

    /// torch/_functorch/_aot_autograd/utils.py, `_copy_metadata_to_bw_nodes_in_subgraph`: the first forward node of a
    /// number stands for it.
    void follow_sequence_numbers() {
        std::unordered_map<std::int64_t, NodeId> forward;
        for (NodeId node = 0; node < source_->node_count(); ++node) {
            const std::optional<std::int64_t> number = source_->metadata(node).sequence_number;
            if (!number || source_->op(node) != NodeOp::call_function) continue;
            if (!is_backward(*source_, node)) {
                forward.try_emplace(*number, node);
                continue;
            }
            const auto known = forward.find(*number);
            if (known == forward.end() || result_.rule_of_node[known->second] < 0 || !is_open(node)) continue;
            const auto rule = static_cast<std::size_t>(result_.rule_of_node[known->second]);
            give(rule, node, paths_[known->second]);
        }
    }

    void join_neighbours(std::size_t rule) {
        for (const bool backward : {false, true}) {
            std::vector<NodeId> waiting;
            NodeId before = no_node;
            for (NodeId node = 0; node < source_->node_count(); ++node) {
                if (source_->op(node) != NodeOp::call_function || is_backward(*source_, node) != backward) continue;
                if (is_open(node)) {
                    waiting.push_back(node);
                    continue;
                }
                if (before != no_node && !waiting.empty()) {
                    // Backward runs through a model from its end: what stands between two blocks belongs to the
                    // earlier block, which comes behind.
                    const std::string path(backward ? module_between(paths_[node], paths_[before])
                                                    : module_between(paths_[before], paths_[node]));
                    for (const NodeId between : waiting)
                        if (!path.empty()) give(rule, between, path);
                }
                waiting.clear();
                before = node;
            }
        }
    }

    /// Makes the graph, if any rule gave anything.
    void store() {
        if (result_.repaired_nodes() == 0) return;
        GraphEditor editor(source_);
        const StringId class_name = editor.intern(module_class);
        std::map<std::string_view, std::pair<StringId, ModuleStackId>> stored;
        for (NodeId node = 0; node < source_->node_count(); ++node) {
            if (result_.rule_of_node[node] < 0) continue;
            auto [known, added] = stored.try_emplace(paths_[node]);
            if (added) {
                known->second.first = editor.intern(paths_[node]);
                const ModuleStackEntry entry{known->second.first, class_name};
                known->second.second = editor.module_stack({&entry, 1});
            }
            const bool nothing_known = !uses_stacks_ && !uses_names_;
            NodeMetadata metadata = editor.metadata(node);
            if (uses_stacks_ || nothing_known) {
                const bool backward = is_backward(*source_, node);
                metadata.module_stack = backward ? 0 : known->second.second;
                metadata.fwd_module_stack = backward ? known->second.second : 0;
            }
            if (uses_names_ || nothing_known) {
                metadata.module_fqn = known->second.first;
                metadata.custom_json = editor.intern(with_module(source_->text(metadata.custom_json), paths_[node]));
            }
            editor.set_metadata(node, metadata);
        }
        std::vector<NodeId> origin;
        result_.graph = editor.finish(origin);
    }

    /// The node's `custom` with this module's name.
    static std::string with_module(std::string_view custom, const std::string& path) {
        auto json = nlohmann::ordered_json::parse(custom, nullptr, false);
        if (!json.is_object()) json = nlohmann::ordered_json::object();
        json["module_fqn"] = path;
        return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    }

    const std::shared_ptr<const Graph>& source_;
    const std::vector<ModuleRule>& rules_;
    RepairedModules result_;
    std::vector<std::string> paths_;  ///< of each node: the module that it has by now, or nothing
    bool uses_stacks_ = false, uses_names_ = false;
};

/// The latest results. Plans change with every move of a hand, their rules hardly ever.
class LatestRepairs {
  public:
    std::shared_ptr<const RepairedModules> find(const std::shared_ptr<const Graph>& graph,
                                                const std::vector<ModuleRule>& rules) {
        const std::lock_guard lock(mutex_);
        std::erase_if(entries_, [](const Entry& entry) { return entry.graph.expired(); });
        const auto known = std::ranges::find_if(
            entries_, [&](const Entry& entry) { return entry.graph.lock() == graph && entry.rules == rules; });
        if (known == entries_.end()) return nullptr;
        std::rotate(entries_.begin(), known, known + 1);
        return entries_.front().repaired;
    }

    void keep(const std::shared_ptr<const Graph>& graph, const std::vector<ModuleRule>& rules,
              std::shared_ptr<const RepairedModules> repaired) {
        const std::lock_guard lock(mutex_);
        entries_.insert(entries_.begin(), Entry{graph, rules, std::move(repaired)});
        if (entries_.size() > most_kept) entries_.pop_back();
    }

  private:
    static constexpr std::size_t most_kept = 4;
    struct Entry {
        std::weak_ptr<const Graph> graph;
        std::vector<ModuleRule> rules;
        std::shared_ptr<const RepairedModules> repaired;
    };
    std::mutex mutex_;
    std::vector<Entry> entries_;
};

LatestRepairs& latest_repairs() {
    static LatestRepairs latest;
    return latest;
}

}  // namespace

std::uint32_t RepairedModules::repaired_nodes() const {
    std::uint32_t nodes = 0;
    for (const RuleOutcome& outcome : outcomes) nodes += outcome.nodes;
    return nodes;
}

std::shared_ptr<const RepairedModules> repair_modules(const std::shared_ptr<const Graph>& graph,
                                                      const std::vector<ModuleRule>& rules,
                                                      const std::stop_token& stop) {
    if (auto known = latest_repairs().find(graph, rules)) return known;
    auto repaired = std::make_shared<const RepairedModules>(Repair(graph, rules).run(stop));
    if (stop.stop_requested()) return nullptr;
    // A result that is the graph itself would keep it alive, and is quickly found again.
    if (repaired->graph != graph) latest_repairs().keep(graph, rules, repaired);
    return repaired;
}

std::vector<Problem> check_module_rules(const std::vector<ModuleRule>& rules, const RepairedModules& repaired) {
    std::vector<Problem> problems;
    const auto add = [&](std::size_t rule, ProblemKind kind, std::string title, const std::string& message) {
        Problem problem;
        problem.severity = Severity::caution;
        problem.kind = kind;
        problem.title = std::move(title);
        problem.message.assign("rule ").append(std::to_string(rule + 1)).append(" (").append(describe(rules[rule]));
        problem.message.append("): ").append(message);
        problems.push_back(std::move(problem));
    };
    for (std::size_t rule = 0; rule < rules.size(); ++rule) {
        const RuleOutcome& outcome = repaired.outcomes[rule];
        if (!outcome.problem.empty()) {
            add(rule, ProblemKind::module_rule_unmatched, "Module rule", outcome.problem);
        } else if (outcome.nodes == 0) {
            std::string why = "it gives no node a module";
            if (outcome.own > 0) why += "; " + counted(outcome.own, "node") + " that fit have their own";
            if (outcome.earlier > 0) why += "; " + counted(outcome.earlier, "node") + " got one from an earlier rule";
            add(rule, ProblemKind::module_rule_unmatched, "Module rule", why);
        }
        if (outcome.ambiguous > 0) {
            add(rule, ProblemKind::module_rule_ambiguous, "Ambiguous module",
                counted(outcome.ambiguous, "node") +
                    " would belong to several modules by the parameters that they use, and got none");
        }
    }
    return problems;
}

}  // namespace overlap
