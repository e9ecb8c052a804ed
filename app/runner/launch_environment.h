#pragma once

#include <map>
#include <string>

namespace overlap::runner {

/// Asks NCCL to launch in the order in which the host issues (NCCL_LAUNCH_ORDER_IMPLICIT, off by default): a rank has
/// several communicators on one device, and ranks that launched theirs in different orders could wait for one another
/// forever. A value set by the user stays. Called before NCCL is used.
void set_run_environment();

/// Environment variables that change how collectives and compute are launched, by name: CUDA's number of connections,
/// the visible devices, and all of NCCL's.
std::map<std::string, std::string> run_environment();

}  // namespace overlap::runner
