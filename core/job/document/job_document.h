#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/unknown_fields.h"

namespace overlap::job {

// An overlap-job document, version 1, as it is written (resources/schemas/overlap-job.schema.json, docs/formats.md).
// Times are milliseconds. Unknown fields of each object are kept in its `extra`.

/// A piece of an action: compute, or a collective over a mesh dimension.
struct Segment {
    double ms = 0;
    std::string collective;  ///< kind, such as `all_reduce`; empty: compute
    std::string dim;         ///< of a collective
    bool experts = false;    ///< compute of experts, which `routing` scales
    UnknownFields extra;
    std::optional<std::int64_t> bytes{};  ///< of a collective, in place of its time: for the topology
};

/// What a stage is given as.
enum class StageKind : std::uint8_t { opaque, segments, graph };

/// A model stage.
struct StageSpec {
    std::string name;
    StageKind kind = StageKind::opaque;
    std::vector<std::pair<std::string, double>> ms;                      ///< opaque: time by action kind
    std::vector<std::pair<std::string, std::vector<Segment>>> segments;  ///< by action kind
    std::string graph, plan;        ///< files: forward and backward in one graph; the plan may be empty
    std::string forward, backward;  ///< or a graph each
    /// Graphs of further actions beside them, such as `UNSHARD`, `I`: name of the kind and file.
    std::vector<std::pair<std::string, std::string>> action_graphs;
    std::optional<double> backward_input_share;  ///< of the backward's time that is `I`
    std::optional<double> gradient_sync_ms;
    std::optional<std::int64_t> gradient_sync_bytes;  ///< in place of its time
    UnknownFields extra;
};

/// How long a cell of several actions at once takes.
struct OverlapRule {
    enum class Kind : std::uint8_t { sum, longest, factor } kind = Kind::sum;
    double factor = 1;  ///< of the sum
};

/// Which action runs when. One of name, file and actions; a list wins over a name.
struct ScheduleSpec {
    std::string name, file;
    std::optional<std::vector<std::vector<std::string>>> actions;
    std::int32_t microbatches = 1;
    std::optional<std::int32_t> ranks, stages_per_rank;
    std::optional<OverlapRule> overlap;
    UnknownFields extra;
};

/// Messages between stages on different ranks: a time, or bytes for the topology.
struct TransferSpec {
    double activations_ms = 0, gradients_ms = 0;
    std::optional<std::int64_t> activation_bytes, gradient_bytes;
    UnknownFields extra;
};

/// A factor on the compute of a rank, whichever stages a schedule gives it, or of a stage of a replica; of all where
/// one is not given.
struct SlowSpec {
    std::optional<std::int32_t> replica{}, stage{};
    double factor = 1;
    std::optional<std::int64_t> rank{};  ///< then neither replica nor stage is given
    UnknownFields extra{};
};

/// Factors on times, drawn one by one.
struct DistributionSpec {
    enum class Kind : std::uint8_t {
        none,        ///< always 1
        log_normal,  ///< with mean 1
        uniform,
        exponential,
        measured  ///< each of `factors` as likely as the others
    } kind = Kind::none;
    double sigma = 0;  ///< of a log-normal factor: of its logarithm
    double least = 1;  ///< of a uniform one
    double most = 1;   ///< of a uniform one
    double mean = 1;   ///< of an exponential one
    std::vector<double> factors;
    bool each_rank = false;  ///< one factor for all that a rank does in a step, in place of one for each action
    UnknownFields extra;
};

/// A pause of an action, such as a garbage collection: it comes with a probability and takes a time.
struct PauseSpec {
    double probability = 0, ms = 0;
    UnknownFields extra;
};

/// What differs from run to run: factors drawn for each action and message, and pauses of actions.
struct VariationSpec {
    std::uint64_t seed = 1;
    std::int32_t samples = 1;
    DistributionSpec compute, transfer;
    std::vector<PauseSpec> pauses;
    std::vector<SlowSpec> slow;
    bool has_seed = false, has_samples = false;
    UnknownFields extra;
};

/// The part of the tokens that each rank of a mesh dimension receives.
struct RoutingSpec {
    std::string group;
    std::vector<double> share;
    UnknownFields extra;
};

/// Dimensions of the mesh, outermost first, and the order in which ranks are numbered where it is another.
struct MeshSpec {
    std::vector<std::pair<std::string, std::int32_t>> dims;
    std::vector<std::string> order;
    UnknownFields extra;
};

/// A level of links, such as the NVLink domain of a node.
struct TopologyLevel {
    std::string name;
    std::int64_t ranks = 1;  ///< within one unit of this level
    double latency_ms = 0;
    double bytes_per_s = 0;       ///< of one link
    bool shared = false;          ///< `"contention": "shared"`
    std::int64_t links = 1;       ///< of each unit of the level beneath, where they are shared
    double oversubscription = 1;  ///< by which a unit's links together are less than their sum
    UnknownFields extra;
};

/// How a collective moves its bytes.
enum class CollectiveAlgorithm : std::uint8_t { ring, tree, hierarchical };

/// An operation of a program.
struct OpSpec {
    enum class Kind : std::uint8_t { compute, collective, send, recv, batch };
    std::string id, stream = "main";
    Kind kind = Kind::compute;
    double ms = 0;
    std::vector<std::string> after;
    std::string group, op, dtype, reduce;
    std::optional<std::int64_t> bytes, root;
    std::optional<std::vector<std::int64_t>> split, receive;
    std::int32_t peer = -1;
    std::vector<OpSpec> ops;  ///< of a batch
    UnknownFields extra;
};

/// What one rank does.
struct ProgramSpec {
    std::int32_t rank = 0;
    std::vector<OpSpec> ops;
    UnknownFields extra;
};

/// A whole job: stages with a schedule, or programs.
struct JobDocument {
    std::string name;
    std::vector<StageSpec> stages;
    ScheduleSpec schedule;
    std::optional<TransferSpec> transfer;
    std::optional<std::int32_t> replicas;
    std::optional<VariationSpec> variation;
    std::optional<MeshSpec> mesh;
    std::optional<RoutingSpec> routing;
    std::vector<TopologyLevel> topology;
    std::vector<std::pair<std::string, CollectiveAlgorithm>> algorithms;  ///< by kind; a ring where none is given
    bool has_programs = false;
    std::vector<std::pair<std::string, std::vector<std::int32_t>>> groups;
    std::vector<ProgramSpec> programs;
    bool buffered = false;  ///< `"p2p": "buffered"`
    bool has_p2p = false;
    UnknownFields extra, topology_extra;
};

}  // namespace overlap::job
