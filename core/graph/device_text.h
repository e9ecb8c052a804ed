#pragma once

#include <string_view>

namespace overlap {

/// Whether a device is a CPU, by what torch calls it, such as `cpu` or `cpu:0`.
inline bool is_on_cpu(std::string_view device) {
    return device == "cpu" || device.starts_with("cpu:");
}

}  // namespace overlap
