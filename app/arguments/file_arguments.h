#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <vector>

namespace overlap::commands {

/// Marks an argument as one that names files to read. Names that are no files, such as those of built-in cost models,
/// do not count.
CLI::Option* reads(CLI::Option* argument);

/// Marks an argument as one that names the file to write; `-` is standard output.
CLI::Option* writes(CLI::Option* argument);

/// Checks the files of a command that has been parsed, before any of them is opened: none that is written is read as
/// well, or written twice. Links are followed; devices and pipes can be given several times.
/// @throws CLI::ValidationError with both arguments and the file.
void check_files(CLI::App& command);

/// A file that an argument names, or stands for.
struct GivenFile {
    std::string argument;  ///< such as `GRAPH` or `--output`
    std::string name;
};

/// Checks one file to write, as check_files(): for names that a command makes itself, such as of a prefix.
/// @param inputs files that are read. @param others files that are written as well.
/// @throws CLI::ValidationError with both arguments and the file.
void check_output(const GivenFile& output, std::span<const GivenFile> inputs, std::span<const GivenFile> others);

/// Whether a file that the command writes is what standard output leads to, a pipe or a file, as with `-o -`:
/// nothing else can be printed there.
bool writes_standard_output(CLI::App& command);

/// What arguments marked by reads() name, in the order of the arguments.
std::vector<std::string> files_to_read(CLI::App& command);

}  // namespace overlap::commands
