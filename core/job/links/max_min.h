#pragma once

#include <span>
#include <vector>

#include "core/job/links/link_network.h"

namespace overlap::job {

/// What moves at the same time as others.
struct SharingFlow {
    std::span<const LinkIndex> links;
    double most_bytes_per_ms = 0;  ///< a link of its own, so to speak
    double bytes_per_ms = 0;       ///< the result
};

/// Gives each flow its max-min fair rate (progressive filling; Bertsekas and Gallager, *Data Networks*, 6.5.2): each is
/// as fast as its own limit, or crosses a saturated link on which none is faster. Rates are exact but for the rounding
/// of sums.
/// @param bytes_per_ms of each link that there is.
class MaxMin {
  public:
    explicit MaxMin(std::span<const double> bytes_per_ms) : capacity_(bytes_per_ms), links_(bytes_per_ms.size()) {}
    void share(std::span<SharingFlow> flows);

  private:
    struct Link {
        double left = 0;          ///< of its rate
        std::uint32_t flows = 0;  ///< that have no rate yet
    };
    std::span<const double> capacity_;
    std::vector<Link> links_;
    std::vector<LinkIndex> used_;
    std::vector<std::uint32_t> open_;
};

}  // namespace overlap::job
