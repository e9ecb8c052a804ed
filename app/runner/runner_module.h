#pragma once

#include <string>

namespace overlap::runner {

/// A part of the runner that needs libraries which a machine may lack. It is a file of its own beside the runner, or
/// where it is installed, `../libexec/overlap-studio`, and loaded on request: without it the rest works.
struct RunnerModule {
    const char* file;   ///< its name
    const char* entry;  ///< its only function
    /// What is said where there is no such file, and where it cannot be loaded; the reason follows.
    const char *absent, *absent_reason, *broken;
};

/// @throws InputError where it does not exist.
void require_module(const RunnerModule& module);

/// The module's entry. All its symbols are resolved: one that a library of another version lacks would otherwise end
/// the program during a run.
/// @throws InputError where it does not exist or cannot be loaded, with the library that is missing.
void* load_module(const RunnerModule& module);

}  // namespace overlap::runner
