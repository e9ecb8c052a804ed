#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>

namespace overlap::commands {

/// Accepts finite numbers from `least` to `most`. CLI11's own range lets NaN pass, which is neither below nor above it.
CLI::Validator number_from(double least, double most);

/// Accepts whole numbers from `least` to `most`.
CLI::Validator whole_number_from(std::int64_t least, std::int64_t most);

}  // namespace overlap::commands
