#pragma once

#include <string_view>

#include "core/passes/pass.h"

namespace overlap {

/// The refusal of ep_overlap_chunk_pass where torchtitan joins the gradients of both halves before a node that only
/// passes them on and runs that node once, which no graph shows. With optimize_grad_live_out switched off, torchtitan
/// joins them behind that node, and the pass does the same.
class JoinedGradientRefusal : public PassRefusal {
  public:
    /// The option of ep_overlap_chunk_pass that avoids the refusal when it is switched off.
    static constexpr std::string_view option = "optimize_grad_live_out";

    using PassRefusal::PassRefusal;
};

}  // namespace overlap
