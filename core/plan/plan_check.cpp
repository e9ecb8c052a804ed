#include <algorithm>
#include <map>
#include <span>
#include <string_view>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/base/trimmed_text.h"
#include "core/base/wording.h"
#include "core/graph/module_nodes.h"
#include "core/modules/nearest_module.h"
#include "core/passes/bucketing/eligibility.h"
#include "core/plan/bucket_check.h"
#include "core/plan/memory_obstacles.h"
#include "core/plan/own_options.h"
#include "core/plan/plan.h"
#include "core/plan/process_groups_field.h"
#include "core/plan/untaken_buckets.h"

namespace overlap {

namespace {

/// Nodes that a message names; the rest are counted.
constexpr std::size_t named_nodes = 4;

constexpr const char* remove_entry_fix = "remove the bucket";  ///< which makes nothing

/// A module of an entry, as a place in the plan.
struct Place {
    std::uint32_t entry = 0;
    std::uint32_t module = 0;
    auto operator<=>(const Place&) const = default;
};

struct SharedNodes {
    std::size_t count = 0;
    std::vector<std::string> names;
};

class BucketCheck {
  public:
    BucketCheck(const Graph& graph, const ModuleTree& tree, const std::vector<BucketEntry>& buckets)
        : graph_(graph), tree_(tree), buckets_(buckets), eligibility_(graph) {}

    std::vector<Problem> run() {
        if (!tree_.exists()) {
            if (!buckets_.empty()) problems_.push_back(no_modules(graph_, tree_));
            return std::move(problems_);
        }
        for (std::size_t entry = 0; entry < buckets_.size(); ++entry) check_names(entry);
        check_overlaps();
        for (std::size_t entry = 0; entry < buckets_.size(); ++entry) check_collectives(entry);
        return std::move(problems_);
    }

  private:
    Problem& add(Severity severity, ProblemKind kind, std::string title, std::string message, std::size_t entry) {
        Problem problem;
        problem.severity = severity;
        problem.kind = kind;
        problem.title = std::move(title);
        problem.message = std::move(message);
        problem.plan_entry = static_cast<int>(entry);
        return problems_.emplace_back(std::move(problem));
    }

    void check_names(std::size_t entry) {
        if (buckets_[entry].modules.empty()) {
            add(Severity::note, ProblemKind::empty_entry, "Empty bucket",
                "this bucket names no module and does nothing", entry)
                .fix = remove_entry_fix;
        }
        for (const std::string& module : buckets_[entry].modules) {
            if (tree_.find(module) != ModuleTree::no_module) continue;
            const bool spaces_only =
                trimmed(module).size() != module.size() && tree_.find(trimmed(module)) != ModuleTree::no_module;
            const std::vector<std::string> nearest =
                spaces_only ? std::vector{std::string(trimmed(module))} : nearest_modules(tree_, module);
            std::string message = in_quotes(module);
            if (spaces_only) {
                message += " matches no module because of the spaces around it";
            } else {
                message += " matches no module";
                for (std::size_t index = 0; index < nearest.size(); ++index) {
                    message += (index == 0 ? "; nearest: " : ", ") + nearest[index];
                }
            }
            Problem& problem =
                add(Severity::caution, spaces_only ? ProblemKind::stray_spaces : ProblemKind::unknown_module,
                    spaces_only ? "Stray spaces" : "Unknown module", message + " (PyTorch would ignore it silently)",
                    entry);
            problem.module = module;
            const auto free = std::ranges::find_if(nearest, [&](const std::string& other) { return is_free(other); });
            if (free != nearest.end()) {
                problem.fix = "rename to " + *free;
                problem.replacement = *free;
                continue;
            }
            // Without this name the plan makes the same. PyTorch refuses a module that is named twice.
            problem.fix = "take out of the plan";
            if (!nearest.empty()) {
                problem.message +=
                    "; " + nearest.front() +
                    (is_named(nearest.front()) ? " is in the plan already" : " has nodes that are in the plan already");
            }
        }
    }

    bool is_named(const std::string& module) const {
        return std::ranges::any_of(buckets_, [&](const BucketEntry& entry) {
            return std::ranges::find(entry.modules, module) != entry.modules.end();
        });
    }

    /// Whether a module can take the place of one that matches nothing: none in the plan has any of its nodes.
    bool is_free(const std::string& module) const {
        const auto& nodes = tree_.nodes(module);
        const auto shares = [&](const std::string& other) {
            return std::ranges::any_of(tree_.nodes(other),
                                       [&](NodeId node) { return std::ranges::binary_search(nodes, node); });
        };
        return std::ranges::none_of(
            buckets_, [&](const BucketEntry& entry) { return std::ranges::any_of(entry.modules, shares); });
    }

    /// Counts as PyTorch does: over all modules of all entries, nodes beyond the first mention of each.
    void check_overlaps() {
        constexpr std::uint32_t unmentioned = 0xffffffffu;
        std::vector<Place> named;
        std::vector<std::uint32_t> first(graph_.node_count(), unmentioned);  // by node, in named
        std::map<std::pair<Place, Place>, SharedNodes> shared;
        std::size_t duplicates = 0;
        for (std::uint32_t entry = 0; entry < buckets_.size(); ++entry) {
            for (std::uint32_t module = 0; module < buckets_[entry].modules.size(); ++module) {
                const auto number = static_cast<std::uint32_t>(named.size());
                named.push_back({entry, module});
                for (const NodeId node : tree_.nodes(buckets_[entry].modules[module])) {
                    if (first[node] == unmentioned) {
                        first[node] = number;
                        continue;
                    }
                    ++duplicates;
                    SharedNodes& nodes = shared[{named[first[node]], named.back()}];
                    if (nodes.count++ < named_nodes) nodes.names.emplace_back(graph_.name(node));
                }
            }
        }
        for (const auto& [places, nodes] : shared) report_overlap(places.first, places.second, nodes, duplicates);
    }

    const std::string& path(Place place) const { return buckets_[place.entry].modules[place.module]; }

    void report_overlap(Place earlier, Place later, const SharedNodes& nodes, std::size_t duplicates) {
        std::string message;
        if (earlier.entry != later.entry) {
            message = "entries " + std::to_string(earlier.entry + 1) + " (" + path(earlier) + ") and " +
                      std::to_string(later.entry + 1) + " (" + path(later) + ") share ";
        } else if (path(earlier) == path(later)) {
            message = "entry " + std::to_string(later.entry + 1) + " names " + path(later) + " twice, with ";
        } else {
            message =
                path(earlier) + " and " + path(later) + " in entry " + std::to_string(later.entry + 1) + " share ";
        }
        message += counted(nodes.count, "node") + " (";
        for (std::size_t index = 0; index < nodes.names.size(); ++index) {
            message += (index == 0 ? "" : ", ") + nodes.names[index];
        }
        message += nodes.count > nodes.names.size() ? ", …)" : ")";
        message += "; PyTorch refuses the plan for its " + counted(duplicates, "duplicated node") + " (AssertionError)";
        const bool child_first = path(earlier).starts_with(path(later) + ".");
        const Place removable = child_first ? earlier : later;
        Problem& problem =
            add(Severity::error, ProblemKind::overlapping_entries, "Overlapping buckets", message, removable.entry);
        problem.nodes = nodes.names;
        problem.module = path(removable);
        problem.fix = "remove " + path(removable);
    }

    void check_collectives(std::size_t entry) {
        std::map<BucketingObstacle, std::size_t> obstacles;
        bool any_module = false;
        for (const std::string& module : buckets_[entry].modules) {
            any_module |= tree_.find(module) != ModuleTree::no_module;
            for (const NodeId node : tree_.nodes(module)) {
                if (eligibility_.eligible(node)) return;
                ++obstacles[eligibility_.obstacle(node)];
            }
        }
        if (!any_module) return;  // reported already
        std::string message = display_name(buckets_[entry]);
        obstacles.erase(BucketingObstacle::no_collective);
        if (obstacles.empty()) {
            message += " has no collective at all";
        } else {
            message += " has no collective that can be bucketed:";
            bool first = true;
            for (const auto& [obstacle, count] : obstacles) {
                message += (first ? " " : "; ") + std::to_string(count) + " where " + describe(obstacle);
                first = false;
            }
        }
        add(Severity::caution, ProblemKind::nothing_gathered, "Nothing gathered", message, entry).fix =
            remove_entry_fix;
    }

    const Graph& graph_;
    const ModuleTree& tree_;
    const std::vector<BucketEntry>& buckets_;
    BucketingEligibility eligibility_;
    std::vector<Problem> problems_;
};

/// Whether BucketCheck finds nothing: all names match, no node is in two, and each entry has something to bucket.
bool is_fine(const Graph& graph, ModuleSource source, const std::vector<BucketEntry>& buckets) {
    std::vector<std::string_view> paths;
    for (const BucketEntry& entry : buckets) paths.insert(paths.end(), entry.modules.begin(), entry.modules.end());
    const ModuleNodes nodes_of(graph, source, paths);
    const BucketingEligibility eligibility(graph);
    std::vector<std::uint8_t> is_named(graph.node_count());
    std::size_t path = 0;
    for (const BucketEntry& entry : buckets) {
        bool any_eligible = false;
        for (std::size_t module = 0; module < entry.modules.size(); ++module) {
            const std::span<const NodeId> nodes = nodes_of.of(path++);
            if (nodes.empty()) return false;
            for (const NodeId node : nodes) {
                if (is_named[node] != 0) return false;
                is_named[node] = 1;
                any_eligible |= eligibility.eligible(node);
            }
        }
        if (!any_eligible) return false;
    }
    return true;
}

/// Whether a tree of modules from this source would have any.
bool has_modules(const Graph& graph, ModuleSource source) {
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const NodeMetadata& metadata = graph.metadata(node);
        const ModuleStackId stack = metadata.module_stack != 0 ? metadata.module_stack : metadata.fwd_module_stack;
        const bool named = source == ModuleSource::module_fqn ? metadata.module_fqn != empty_string
                                                              : !graph.module_stack(stack).empty();
        if (named) return true;
    }
    return false;
}

/// What reading the plan added for its memory section, as far as it is still there.
std::optional<Problem> memory_passes_added(const Plan& plan) {
    if (!plan.memory) return std::nullopt;
    std::vector<std::string> there;
    for (const std::string& pass : plan.added_by_reading.memory_passes)
        if (std::ranges::find(plan.pipeline, pass, &PassStep::pass) != plan.pipeline.end()) there.push_back(pass);
    if (there.empty()) return std::nullopt;
    Problem problem;
    problem.kind = ProblemKind::memory_passes_added;
    problem.title = "Memory passes added";
    problem.message = "the plan's memory section needs " + listed(there) +
                      ", which the pipeline of its file lacks, so " +
                      (there.size() == 1 ? "a step was" : "steps were") +
                      " added when the plan was read; to go without a pass, keep its step and switch it off";
    return problem;
}

/// The fields of the plan's document that this version does not know, each with the field that was probably meant.
std::vector<std::string> unknown_fields(const Plan& plan) {
    std::vector<std::string> fields;
    const auto add_all = [&](const std::string& place, const UnknownFields& unknown) {
        for (const auto& [key, value] : unknown) fields.push_back(place + "." + key);
    };
    const auto add_list = [&](const std::string& list, const auto& items) {
        for (std::size_t index = 0; index < items.size(); ++index)
            add_all(list + "[" + std::to_string(index) + "]", items[index].extra);
    };
    for (const auto& [key, value] : plan.extra) fields.push_back(key);
    add_all("graph", plan.graph_extra);
    add_list("module_rules", plan.module_rules);
    add_list("buckets", plan.buckets);
    if (plan.memory) {
        add_all("memory", plan.memory->extra);
        add_list("memory.rules", plan.memory->rules);
    }
    add_list("overlaps", plan.overlaps.list);
    add_list("device_orders", plan.device_orders);
    for (const std::string& setting : unknown_group_settings(plan.process_groups)) fields.push_back(setting);
    return fields;
}

}  // namespace

std::vector<Problem> check_unevaluated(const Plan& plan) {
    std::vector<Problem> problems;
    const auto add = [&](Severity severity, std::string message) {
        problems.push_back(not_evaluated(severity, std::move(message)));
    };
    if (const auto& unread = plan.unread_process_groups) {
        problems.push_back(run_refusal(InputError(unread->place, unread->problem)));
    }
    if (std::optional<Problem> untaken = untaken_buckets(plan)) problems.push_back(std::move(*untaken));
    if (plan.memory) {
        for (MemoryObstacle& obstacle : memory_obstacles(*plan.memory, plan.pipeline)) {
            add(Severity::caution, std::move(obstacle.message));
            // The plan is evaluated as it is, without that part of the section.
            problems.back().kind = ProblemKind::memory_not_carried_out;
            problems.back().title = "Memory not carried out";
            problems.back().fix = std::move(obstacle.fix);
        }
    }
    if (std::optional<Problem> added = memory_passes_added(plan)) problems.push_back(std::move(*added));
    if (std::optional<Problem> exact = exact_mode_only(lower(plan))) problems.push_back(std::move(*exact));
    std::string unknown;
    for (const std::string& field : unknown_fields(plan)) unknown.append(unknown.empty() ? "" : ", ").append(field);
    if (!unknown.empty()) {
        add(Severity::note, "the plan has fields that this version keeps but does not know: " + unknown);
    }
    return problems;
}

Problem no_modules(const Graph& graph, const ModuleTree& tree) {
    const bool by_name = tree.source() == ModuleSource::module_fqn;
    Problem problem;
    problem.severity = Severity::caution;
    problem.kind = ProblemKind::no_modules;
    problem.title = "No module names";
    problem.message = std::string("no node of the graph has a ")
                          .append(by_name ? "custom.module_fqn" : "module stack")
                          .append(", so the plan's entries select nothing, and PyTorch changes nothing");
    const ModuleSource other = by_name ? ModuleSource::module_stack : ModuleSource::module_fqn;
    if (has_modules(graph, other)) {
        problem.message += by_name ? "; its nodes have module stacks: leave the option module_stack_fn unset"
                                   : "; its nodes have custom.module_fqn: set the option module_stack_fn to that";
    } else {
        problem.fix = "repair modules";
    }
    return problem;
}

std::vector<Problem> check_buckets(const Graph& graph, const ModuleTree& tree,
                                   const std::vector<BucketEntry>& buckets) {
    return BucketCheck(graph, tree, buckets).run();
}

std::vector<Problem> check_buckets(const Graph& graph, ModuleSource source, const std::vector<BucketEntry>& buckets) {
    if (is_fine(graph, source, buckets)) return {};
    return check_buckets(graph, ModuleTree(graph, source), buckets);
}

}  // namespace overlap
