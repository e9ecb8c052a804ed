#pragma once

#include <string_view>

#include "core/passes/pass.h"

namespace overlap {

/// The refusal of ep_overlap_chunk_pass where torchtitan joins a gradient in a way that no graph shows. It does not
/// with the option optimize_grad_live_out switched off.
class JoinedGradientRefusal : public PassRefusal {
  public:
    static constexpr std::string_view option = "optimize_grad_live_out";

    using PassRefusal::PassRefusal;
};

}  // namespace overlap
