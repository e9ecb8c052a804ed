#pragma once

#include "core/passes/pass.h"

namespace overlap {

/// Inductor's pass of this name (torch/_inductor/fx_passes/low_contention_collectives.py): all-gathers and
/// reduce-scatters that products hide become operators of symmetric memory, which copy engines carry out. It runs
/// behind the overlap scheduler. Symmetric memory counts as usable for every process group, as torch 2.15 has it
/// wherever the device has an allocator, and multicast as supported.
class LowContentionCollectives final : public Pass {
  public:
    std::string_view name() const override { return "replace_collectives_with_low_contention"; }
    std::string_view summary() const override;
    std::span<const PassOption> options() const override;
    PassResult run(const std::shared_ptr<const Graph>& graph, const Options& options,
                   std::stop_token stop) const override;
};

}  // namespace overlap
