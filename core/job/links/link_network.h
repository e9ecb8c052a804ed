#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/job/document/job_document.h"

namespace overlap::job {

using LinkIndex = std::uint32_t;

/// How data gets from one rank to another.
struct Route {
    double latency_ms = 0;
    double most_bytes_per_ms = 0;  ///< what one flow reaches alone: the rate of the level that it crosses
    std::vector<LinkIndex> links;  ///< those that it shares with other flows
};

/// The links of a topology that flows share, each in one direction.
///
/// The innermost level (an NVLink domain) is a network of its own. The other levels are one tree: what crosses one of
/// them goes through those beneath it but for the innermost, up on the sender's side and down on the receiver's. In a
/// shared level each unit of the level beneath has `links` links (network cards, uplinks), which its ranks divide among
/// themselves in blocks: rank k of a unit of n ranks uses link ⌊k · links / n⌋. With `oversubscription` c above 1 all
/// of a unit's links together carry links · rate ÷ c. A level that is not shared limits each flow alone.
class LinkNetwork {
  public:
    /// @param ranks of the job.
    LinkNetwork(std::span<const TopologyLevel> levels, std::int64_t ranks);

    Route route(std::int64_t from, std::int64_t to) const;
    std::span<const double> bytes_per_ms() const { return bytes_per_ms_; }  ///< of each link

  private:
    struct Level {
        std::int64_t ranks = 1, unit_ranks = 1;  ///< within a unit of it, and of the level beneath
        double latency_ms = 0, bytes_per_ms = 0;
        std::int64_t links = 1;    ///< of each of its units
        LinkIndex first = 0;       ///< both directions of each link, unit by unit
        LinkIndex first_pool = 0;  ///< both directions of each unit's links together
        bool shared = false, pooled = false;
    };
    void cross(const Level& level, std::int64_t rank, bool up, std::vector<LinkIndex>& links) const;

    std::vector<Level> levels_;
    std::vector<double> bytes_per_ms_;
};

}  // namespace overlap::job
