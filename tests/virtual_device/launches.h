#pragma once

#include "tests/virtual_device/device.h"

namespace overlap::virtual_device {

/// Issues a kernel or a collective, with the changes that the test asks for (`change=` in Settings): the libraries'
/// entries call this, so that a change reaches kernels of the runner, products and collectives alike.
void launch(Stream& stream, Work work);

/// cudaEventRecord() and cudaStreamWaitEvent() with theirs. @returns false where CUDA would refuse the wait.
void record(Event& event, Stream& stream);
bool wait(Event& event, Stream& stream);

}  // namespace overlap::virtual_device
