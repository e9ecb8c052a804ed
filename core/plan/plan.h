#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/unknown_fields.h"
#include "core/graph/graph.h"
#include "core/graph/group_settings.h"
#include "core/graph/module_tree.h"
#include "core/modules/module_rules.h"
#include "core/passes/overlaps/overlap_directives.h"
#include "core/passes/pass.h"
#include "core/plan/memory_section.h"
#include "core/plan/plan_colour.h"

namespace overlap {

/// One candidate boundary for bucketing: modules by their dotted paths, in packing order.
struct BucketEntry {
    std::vector<std::string> modules;
    /// True for a one-module entry that is written as a list (`["layers.0"]`): the reference treats both the same.
    bool written_as_list = false;
    std::string title{};  ///< the user's own, or empty
    UnknownFields extra{};

    bool operator==(const BucketEntry&) const = default;
};

/// The order in which the job is to shard parameters that are sharded over several mesh dimensions. The training job
/// lays out parameters, not a pass: the graph stays unchanged (core/redistribution/device_orders.h).
struct DeviceOrder {
    std::string parameters;         ///< a name, or a pattern of names (see matches_pattern())
    std::vector<std::string> mesh;  ///< the process group along each mesh dimension, outermost first
    std::string order;              ///< state on this mesh as torch writes it, such as `S(0)[1]S(0)[0]`
    double saving_ms = 0;           ///< expected when it was chosen, over a whole step
    std::int64_t saving_bytes = 0;
    UnknownFields extra{};

    bool operator==(const DeviceOrder&) const = default;
};

/// What identifies the graph that a plan is for.
struct GraphFingerprint {
    std::string name;
    std::uint32_t nodes = 0;
    std::string digest;  ///< 16 hexadecimal digits over names, targets, arguments, shapes and modules

    bool operator==(const GraphFingerprint&) const = default;
};

GraphFingerprint fingerprint(const Graph& graph);

/// A field of a document that this version knows and could not read.
struct UnreadField {
    std::string json;            ///< its text, written back as it was
    std::string place, problem;  ///< of the InputError that reading it threw

    bool operator==(const UnreadField&) const = default;
};

/// What reading a document added to its plan. It is told, and not written; plans are equal whatever was added.
struct AddedByReading {
    std::vector<std::string> memory_passes;  ///< of the memory section, which the document's pipeline lacks

    bool operator==(const AddedByReading&) const { return true; }
};

/// What a user creates and a training job consumes (docs/formats.md, overlap-plan). A value.
struct Plan {
    std::string name = "Plan A";
    std::optional<GraphFingerprint> graph;
    UnknownFields graph_extra;  ///< of the document's `graph`
    /// Modules for nodes that have none, given before anything else is done (core/modules/module_repair.h).
    std::vector<ModuleRule> module_rules;
    std::vector<BucketEntry> buckets;
    /// Passes in order. A step that takes buckets (an option of type module_lists) and is not given any takes
    /// `buckets`.
    std::vector<PassStep> pipeline;
    /// What is saved, computed again or offloaded. A step that carries out a part of it and is not given the options
    /// takes them from here. None: steps are as the pipeline says.
    std::optional<MemorySection> memory;
    AddedByReading added_by_reading;
    OverlapDirectives overlaps;  ///< by hand, applied to what the pipeline makes
    std::vector<DeviceOrder> device_orders;
    std::vector<GroupSettings> process_groups;  ///< what a run or a job requests for communicators and streams
    /// The document's process groups where they cannot be read; a run or a job refuses the plan.
    std::optional<UnreadField> unread_process_groups;
    std::string notes;
    PlanColour colour = PlanColour::none;
    UnknownFields extra;

    bool operator==(const Plan&) const = default;
};

/// Whether two plans do the same: equal but for what only people read, names, notes and colours.
bool does_the_same(const Plan& a, const Plan& b);

/// The empty plan for a graph: one step of manual_overlap_bucketing with the module source that fits, no buckets.
Plan make_plan(const Graph& graph, std::string name);

/// The source from which the plan's first enabled bucketing step reads a node's modules; what fits the graph if it has
/// no such step.
ModuleSource module_source(const Plan& plan, const Graph& graph);

/// The entries as the passes' option module_bucket_plans has them. Entry numbers stay: an empty entry is an empty list,
/// which passes ignore.
ModuleLists module_lists(const std::vector<BucketEntry>& buckets);

/// Whether a pass merges collectives by the plan's entries.
bool takes_buckets(std::string_view pass);

/// The buckets that a step of a pipeline makes, and where it looks their modules up.
struct StepBuckets {
    std::vector<BucketEntry> entries;
    ModuleSource source = ModuleSource::module_stack;
};
/// @param step its options have been checked.
/// @returns nothing for passes that take no buckets, or where none are given.
std::optional<StepBuckets> step_buckets(const PassStep& step);

/// The steps that are switched on, with the buckets and what the memory section says put in: what `overlap apply` runs
/// and a training job executes.
std::vector<PassStep> lower(const Plan& plan);
/// One step of the plan with the same put in, switched on or not.
PassStep lower(const Plan& plan, const PassStep& step);

/// Limits of expanded abbreviations, for all texts together that are expanded within them: a few letters of a plan must
/// not become gigabytes.
struct ExpansionBounds {
    /// More than any model has, so that what exceeds it is a mistake such as `[0-31000000]`.
    std::size_t most_modules = 100'000;
    std::size_t modules = 0, letters = 0;  ///< so far
};

/// Expands what a user may type for entries: `layers.[0-2]` (an entry each), `norm+output` (one entry), entries
/// separated by commas or lines, a Python or JSON list of names and lists, in whose strings abbreviations work too. A
/// name in quotes (in a list's string: in quotes inside it) is taken as it is. Whitespace around names is trimmed. The
/// README lists the rules and where they differ from PyTorch's first version.
/// @throws InputError with line and column in the text; beyond the bounds too.
std::vector<BucketEntry> parse_bucket_entries(std::string_view text, ExpansionBounds& bounds);
/// The same for a single text.
std::vector<BucketEntry> parse_bucket_entries(std::string_view text);

/// A module path as a user would type it: in quotes where a letter of it would be taken for an abbreviation.
std::string typed_name(std::string_view module);

/// An entry as texts name it: `norm + output`; of many modules `layers.[1-4]`, which is one entry here.
std::string display_name(const BucketEntry& entry);

/// What is wrong or remarkable with a plan's entries on a graph: unknown names with the nearest existing ones,
/// overlapping entries (which nodes, which entries), entries that gather nothing.
std::vector<Problem> check_buckets(const Graph& graph, const ModuleTree& tree, const std::vector<BucketEntry>& buckets);

/// The message where a plan's entries, or the trainer's own, find nothing because no node names a module.
/// @param tree has no modules; says which kind of names were looked for.
Problem no_modules(const Graph& graph, const ModuleTree& tree);

/// What a plan holds that this version keeps but does not evaluate: fields of newer writers, process groups that a run
/// would refuse.
std::vector<Problem> check_unevaluated(const Plan& plan);

/// An initial plan, as torchtitan makes it (common_utils.py, get_default_transformer_block_buckets): embeddings,
/// then each block of the model in order, then norm and head (and loss) in one entry. Models without numbered blocks
/// get an entry for each top-level module.
/// @param graph where given, modules other than embeddings, blocks, norm and head are left out if they have nothing to
/// bucket, and blocks whose experts are sharded separately are split into two entries, as torchtitan does.
std::vector<BucketEntry> one_bucket_per_block(const ModuleTree& tree, const Graph* graph = nullptr);
/// The same with `blocks_per_bucket` neighbouring blocks in one entry; the last one may have fewer.
std::vector<BucketEntry> one_bucket_per_blocks(const ModuleTree& tree, std::size_t blocks_per_bucket,
                                               const Graph* graph = nullptr);

}  // namespace overlap
