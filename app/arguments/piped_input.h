#pragma once

#include <CLI/CLI.hpp>

namespace overlap::commands {

/// Reads what arguments marked by reads() name and what is no file to its end: `-`, which is standard input, and pipes
/// such as `<(command)`. Readers then find it under the name that was given, as often as they want.
/// @throws CLI::ValidationError where one is given twice, which can be read but once.
/// @throws InputError with its name where it cannot be read.
void read_pipes(CLI::App& command);

}  // namespace overlap::commands
