#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/cost/cluster.h"
#include "core/graph/graph.h"

namespace overlap {

/// What collectives over a kind of link take: `latency_ms + latency_per_rank_ms · (ranks - 1) + bytes / bytes_per_s`,
/// with bytes the larger of a collective's input and output.
struct LinkCost {
    double latency_ms = 0;
    double latency_per_rank_ms = 0;  ///< for each rank of the group beyond the first
    double bytes_per_s = 0;
    /// Kinds that have ways of their own, whatever the number of ranks; see CostParameters::Link.
    std::map<CollectiveKind, std::vector<CostParameters::LinkRate>> kinds{};
};

/// A cost model that belongs to no graph: a device with its links, by published figures or fitted to measurements.
/// A document of its own, `*.cost.json` (core/io/cost_model/cost_model_file.h,
/// resources/schemas/overlap-cost-model.schema.json).
struct NamedCostModel {
    std::string name;
    std::string description;

    /// Where the figures come from.
    struct Origin {
        std::string kind;                             ///< `published_figures`, `calibration`, or what a writer puts
        std::vector<std::string> runs;                ///< what was measured: names of files
        std::map<std::string, std::string> versions;  ///< of libraries and drivers, by name
        std::string checked{};                        ///< which runs it was compared with, a clause; empty: none
        double checked_within = 0;                    ///< share by which a step's time was off at most; 0: not known
    };
    Origin origin;

    std::string device_name;
    std::map<std::string, double> flops_per_s;  ///< full rates, by name of a dtype
    double memory_bytes_per_s = 0;              ///< full rate
    std::int64_t memory_bytes = 0;              ///< what the device holds; 0 where it is not known
    double host_link_bytes_per_s = 0;           ///< what copies to or from the host reach; 0 where it is not known
    double flops_efficiency = 1, memory_efficiency = 1;  ///< shares of full rates, of classes that are not listed
    /// By name of a class (core/cost/compute_class.h): one efficiency for flops and bytes.
    std::map<std::string, CostParameters::ClassCost> classes;

    // Links of process groups: by name, else by size, else by the cluster, else by whether the group stays within a
    // node.
    std::map<std::string, LinkCost> links_of_groups;
    std::map<std::int64_t, LinkCost> links_of_sizes;
    std::optional<Cluster> cluster;
    std::int64_t gpus_per_node = 0;  ///< 0 where it is not known; ranks of a node follow one another
    std::optional<LinkCost> within_node;
    /// Its `bytes_per_s` is that of one GPU's network interface. A group with several ranks in a node drives as many
    /// interfaces, up to what `within_node` carries.
    std::optional<LinkCost> between_nodes;

    /// How activities slow each other. A factor that is not known counts as zero, see unknown_factors().
    struct Contention {
        std::map<std::string, double> compute_slowdown;  ///< by name of a class; one that is not here is not known
        std::optional<double> communication_slowdown;
        /// Groups within a node share its link, and groups between nodes share theirs, while they move data.
        bool groups_share_links = false;
    };
    std::optional<Contention> contention;

    std::string json;  ///< the document that it was read from, whole; empty where it was made here
};

/// Unknown factors of contention, as clauses: `by how much compute slows communication down`.
std::vector<std::string> unknown_factors(const NamedCostModel::Contention& contention);

/// The link of a process group by this model, or nothing where it has none that fits.
std::optional<CostParameters::Link> link_of(const NamedCostModel& model, const ProcessGroup& group);

/// Of the cluster or the nodes; 0 where neither is known.
std::int64_t gpus_per_node(const NamedCostModel& model);

/// Whether a group of these ranks stays within one node. @pre gpus_per_node() is known.
bool within_one_node(const NamedCostModel& model, const ProcessGroup& group);

}  // namespace overlap
