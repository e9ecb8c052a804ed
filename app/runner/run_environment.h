#pragma once

#include <map>
#include <string>

namespace overlap::runner {

/// Asks NCCL to launch in the order in which the host issues (NCCL_LAUNCH_ORDER_IMPLICIT, off by default): a rank has
/// several communicators on one device, and ranks that launched theirs in different orders could wait for one another
/// without end. What the user has set stays. Called before NCCL is used.
void set_run_environment();

/// What of the environment changes how collectives and compute are launched, by name: CUDA's number of connections, the
/// devices that are visible, and all that is NCCL's.
std::map<std::string, std::string> run_environment();

}  // namespace overlap::runner
