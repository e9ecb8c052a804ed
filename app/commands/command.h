#pragma once

#include <CLI/CLI.hpp>
#include <iosfwd>
#include <memory>
#include <vector>

namespace overlap::commands {

/// Where a command writes: results to `out`, remarks for the user, one a line, to `notes`.
struct Streams {
    std::ostream& out;
    std::ostream& notes;
};

/// A subcommand of `overlap`. It lives as long as the parser that it is declared to.
class Command {
  public:
    virtual ~Command() = default;
    /// Adds the subcommand with its arguments to the parser.
    virtual CLI::App* declare(CLI::App& parser) = 0;
    /// Does the work with what has been parsed.
    /// @throws InputError when an input is wrong or a file cannot be written, CLI::ParseError for wrong usage that only
    /// the inputs show, such as an option that lacks another one.
    virtual void run(const Streams& streams) = 0;
};

std::unique_ptr<Command> make_info();
std::unique_ptr<Command> make_apply();
std::unique_ptr<Command> make_simulate();
std::unique_ptr<Command> make_estimate();
std::unique_ptr<Command> make_bench();
std::unique_ptr<Command> make_explain();
std::unique_ptr<Command> make_trace_stats();
std::unique_ptr<Command> make_redistribute();
std::unique_ptr<Command> make_compare();
std::unique_ptr<Command> make_export();
std::unique_ptr<Command> make_import();
std::unique_ptr<Command> make_calibrate();
std::unique_ptr<Command> make_sweep();
std::unique_ptr<Command> make_bound();
std::unique_ptr<Command> make_search();
std::unique_ptr<Command> make_job();

}  // namespace overlap::commands
