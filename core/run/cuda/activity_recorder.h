#pragma once

#include <cupti.h>

#include <cstdint>
#include <vector>

#include "core/run/measured_run.h"

namespace overlap::cuda {

/// Records what runs on the device, by CUPTI's activity interface. One at a time in a process. Buffers are allocated
/// before the first record, so that none is while the device is measured.
class ActivityRecorder {
  public:
    ActivityRecorder();
    ~ActivityRecorder();
    ActivityRecorder(const ActivityRecorder&) = delete;
    ActivityRecorder& operator=(const ActivityRecorder&) = delete;

    /// What is launched until end_node() belongs to `node`. Errors are reported by take(): a rank that left in the
    /// middle of a step would have the others wait for it.
    void begin_node(NodeId node);
    void end_node();

    /// Everything since the last call, in order of start; call it when the device is idle.
    /// @throws InputError where naming has failed since, or CUPTI has dropped records: a timeline with holes would be
    /// taken for gaps.
    std::vector<NodeActivity> take();

  private:
    void keep_failure(CUptiResult status);

    CUptiResult failure_ = CUPTI_SUCCESS;  ///< the first of begin_node() and end_node()
};

}  // namespace overlap::cuda
