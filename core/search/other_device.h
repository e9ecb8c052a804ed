#pragma once

#include <memory>
#include <optional>
#include <stop_token>

#include "core/search/candidate.h"

namespace overlap {

/// The graph on another device than its own times are of, so that of plans that are alike one is taken that a job can
/// run there, too: passes that decide by times may merge what is refused.
class OtherDevice {
  public:
    /// H100, or B200 where the graph's model is that of H100; links are shared by host.
    /// @param any_order whether plans may change the order of heavy compute.
    OtherDevice(const std::shared_ptr<const Graph>& graph, bool any_order, std::stop_token stop);

    /// Whether the plan can be used there; false where nothing is known of that device, and when a stop was requested.
    bool runs(const Plan& plan) const;

  private:
    std::stop_token stop_;
    std::optional<CandidateEvaluator> evaluator_;  ///< none where the other model cannot price the graph
};

}  // namespace overlap
