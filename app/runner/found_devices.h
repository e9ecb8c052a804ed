#pragma once

#include <string>

namespace overlap::runner {

/// What `overlap-runner --devices` prints, a JSON object: `format` (`overlap-devices`), `version`, `program` (version
/// of the runner), `devices[]` (`index`, `name`, `memory_bytes`, `free_bytes`, `multiprocessors`,
/// `compute_capability`), `reason` where there is no device, `libraries` (versions by name, those that this build uses)
/// and `mpi` (its library's version, empty where the runner was built without, or it cannot be loaded).
std::string found_devices_json();

}  // namespace overlap::runner
