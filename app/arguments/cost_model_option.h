#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/arguments/compiled_option.h"
#include "app/commands/command.h"
#include "core/base/error.h"
#include "core/graph/graph.h"

namespace overlap {
struct TimeSource;
}

namespace overlap::commands {

/// The options `--cost-model NAME|FILE` of a command, for times of all nodes by a built-in model or by a document,
/// `--compiled`, for those of a job that compiles, and `--local-batch`, for those of a job with another batch.
class CostModelOption {
  public:
    void declare(CLI::App& command);
    /// `--compiled` and `--attention-density`, for commands that tell or write times of the job.
    void declare_compilation(CLI::App& command);
    /// `--local-batch`, for commands whose figures or graphs may be of another batch.
    void declare_batch(CLI::App& command);
    /// `--shared-links`, for commands whose figures otherwise take each process group to have a link of its own.
    void declare_shared_links(CLI::App& command);
    /// The first of these options that was given; empty where none was.
    std::string given_option() const;
    /// The graph of `file` with the batch, the model, the compilation and the links that were given, or unchanged;
    /// replaced values are reported as notes.
    /// @param contention whether figures are with contention: links that are shared give it no factors.
    /// @throws InputError where there is no such model, its file is damaged, the graph has none to compile by, it lacks
    /// the factors of contention, or its batch cannot be changed (core/batch/scaled_batch.h).
    std::shared_ptr<const Graph> apply(const std::shared_ptr<const Graph>& graph, const std::string& file,
                                       const Streams& streams, bool contention = false) const;
    /// link_source() by the options that were given.
    std::shared_ptr<const TimeSource> link_source(const Graph& graph) const;

  private:
    std::optional<Compilation> compilation(const Graph& graph) const;
    std::shared_ptr<const Graph> with_batch(const std::shared_ptr<const Graph>& graph, const std::string& file) const;

    std::string name_or_file_;
    CompiledOption compiled_;
    std::optional<double> attention_density_;
    std::optional<std::int64_t> local_batch_;
    bool share_links_ = false;
};

/// Help of `--shared-links`.
inline constexpr const char* shared_links_help =
    "process groups within a host share a GPU's link, and groups across hosts its network card, also where the cost "
    "model does not say so; without it the step that they allow is told beside the figures";

/// What `--shared-links` means for a graph without a cost model, whose groups share links by host alike: a source with
/// its own times. Null where the option was not given, or the cost model has been told (with_shared_links()).
std::shared_ptr<const TimeSource> link_source(const Graph& graph, bool share_links);

/// Help of `--contention`.
inline constexpr const char* contention_help =
    "slow compute and communication down while they run beside one another, by the factors of the cost model; no "
    "built-in model has any, a calibration with runs of the job finds them";

/// Tells where factors of contention are all zero, or which of them the graph's cost model does not know.
/// @throws InputError where it has none.
void print_contention_notes(const Streams& streams, const std::string& file, const Graph& graph);

/// Times of the graph in `file`, of its compiled job where it says how that compiles.
/// @throws InputError that names the file, and the option where it would help.
std::vector<double> times_of(const Graph& graph, const std::string& file);

/// The error with the name of `file` where it has none; one for missing times also names the option `--cost-model`.
InputError with_cost_model_hint(const InputError& error, const std::string& file);

}  // namespace overlap::commands
