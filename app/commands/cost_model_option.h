#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "app/commands/command.h"
#include "core/base/error.h"
#include "core/graph/graph.h"

namespace overlap::commands {

/// The option `--cost-model NAME|FILE` of a command: times of all nodes by a built-in model or by a document.
class CostModelOption {
  public:
    void declare(CLI::App& command);
    bool given() const { return !name_or_file_.empty(); }
    /// The graph with the model that was given, or unchanged; replaced values are reported as notes.
    /// @throws InputError where there is no such model, or its file is damaged.
    std::shared_ptr<const Graph> apply(const std::shared_ptr<const Graph>& graph, const Streams& streams) const;

  private:
    std::string name_or_file_;
};

/// node_times_ms() of the graph in `file`. @throws InputError that names the file, and the option where it would help.
std::vector<double> times_of(const Graph& graph, const std::string& file);

/// The error with the name of `file` where it has none; one for missing times also names the option `--cost-model`.
InputError with_cost_model_hint(const InputError& error, const std::string& file);

}  // namespace overlap::commands
