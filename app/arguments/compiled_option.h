#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "core/graph/compilation.h"

namespace overlap::commands {

/// The option `--compiled SCOPE`: what of the graph the job compiles.
class CompiledOption {
  public:
    /// @param help what that decides.
    void declare(CLI::App& command, const std::string& help);

    bool given() const { return !name_.empty(); }
    /// Whether it asks for times of nodes as traced, whatever the graph says.
    bool asks_for_none() const { return name_ == "none"; }
    /// Nothing where it was not given, or asks for none.
    std::optional<CompiledScope> scope() const { return compiled_scope_by_name(name_); }

  private:
    std::string name_;
};

}  // namespace overlap::commands
