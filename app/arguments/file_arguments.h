#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace overlap::commands {

/// Marks an argument as one that names files to read. Names that are no files, such as those of built-in cost models,
/// do not count.
CLI::Option* reads(CLI::Option* argument);

/// Marks an argument as one that names the file to write.
CLI::Option* writes(CLI::Option* argument);

/// Checks the files of a command that has been parsed, before any of them is opened: none that is written is read as
/// well, or written twice. Links are followed; devices and pipes can be given several times.
/// @throws CLI::ValidationError with both arguments and the file.
void check_files(CLI::App& command);

/// What arguments marked by reads() name, in the order of the arguments.
std::vector<std::string> files_to_read(CLI::App& command);

}  // namespace overlap::commands
