#pragma once

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/problem.h"
#include "core/graph/graph.h"
#include "core/passes/option.h"

namespace overlap {

/// One collective that a pass made of others, and where.
struct BucketReport {
    /// Index into the option module_bucket_plans; none for a bucket that the pass chose itself.
    std::optional<std::size_t> plan_entry;
    CollectiveKind kind = CollectiveKind::none;
    std::string process_group;
    std::string dtype;                 ///< of the merged collective
    std::int64_t bytes = 0;            ///< larger of input and output of the merged collective
    std::vector<std::string> members;  ///< names of the merged collectives in the pass's input, in packing order
    std::string start;                 ///< name of the collective that replaces them
    std::vector<std::string> waits;
};

/// A process group that the job is to create in addition to its own, because a pass moves collectives to it.
struct GroupReport {
    std::string name;                ///< in the graph that results
    std::string source;              ///< the group that the collectives leave; the new one has its ranks, ascending
    bool high_priority = false;      ///< whether its stream has priority over others
    bool ranks_reordered = false;    ///< the source's ranks are not ascending
    std::string reason;              ///< a clause, such as `so that ...`
    std::vector<std::string> moved;  ///< names of the collectives
};

/// "target comes after source", as the pass requested it.
struct OrderingReport {
    std::string target;
    std::string source;
};

/// What the overlap scheduler knows of one collective; names are those of the graph that it was given.
struct CollectiveReport {
    std::string start;
    double estimated_ms = 0;
    double exposed_ms = 0;            ///< what no node hides
    std::int64_t size_bytes = 0;      ///< inputs and output together, half of it for an all-reduce
    std::vector<std::string> hiding;  ///< nodes that run at the same time
    std::string kept_apart;  ///< of one that is in no bucket: a clause such as `with "x", because ...`, or empty
};

struct PassReport {
    std::string pass;
    std::vector<BucketReport> buckets;
    std::vector<OrderingReport> orderings;
    std::vector<GroupReport> groups;
    std::vector<CollectiveReport> collectives;
    std::vector<Problem> problems;
};

struct PassResult {
    std::shared_ptr<const Graph> graph;
    PassReport report;
    /// For each node of `graph` the node of the pass's input that it is, or no_node for one that the pass made.
    std::vector<NodeId> origin;
};

/// A rewriting of the graph that follows one pass of PyTorch or torchtitan exactly. Stateless.
class Pass {
  public:
    virtual ~Pass() = default;
    /// The name in PyTorch or torchtitan.
    virtual std::string_view name() const = 0;
    virtual std::string_view summary() const = 0;
    virtual std::span<const PassOption> options() const = 0;
    /// @param options names, types, ranges and choices have been checked by check_options().
    /// @throws InputError when the options or the graph cannot be used, PassRefusal where the reference raises or its
    /// result cannot be reproduced. The input is never changed.
    /// @returns a null graph when `stop` was requested.
    virtual PassResult run(const std::shared_ptr<const Graph>& graph, const Options& options,
                           std::stop_token stop) const = 0;
};

/// @throws InputError for an unknown option name, a wrong type, range or choice, or a missing option that must be
/// given; the nearest existing name is named.
void check_options(const Pass& pass, const Options& options);
/// The option of a pass with this name. @throws InputError where it has none, naming the nearest.
const PassOption& require_option(const Pass& pass, std::string_view name);
/// The place in the options of a pass that a message is about, such as `eliminate_dead_code_pass options.strict`.
std::string option_place(const Pass& pass, std::string_view name);
/// @throws InputError when a value is not one that the option may have. @param place of the value, for the message.
void check_option_value(const PassOption& option, const std::string& place, const OptionValue& value);

/// One step of a pipeline.
struct PassStep {
    std::string pass;
    Options options{};
    bool enabled = true;  ///< false: kept in its place, but not run

    bool operator==(const PassStep&) const = default;
};

}  // namespace overlap
