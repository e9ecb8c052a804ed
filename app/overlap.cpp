// The command line: reads arguments, runs one subcommand, turns errors into exit statuses.
//
// 0 done, 1 the input is wrong (one line on stderr: file, place, what was expected), 2 wrong usage, also where
// an option's value cannot be read or is out of its range.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/arguments/file_arguments.h"
#include "app/arguments/piped_input.h"
#include "app/commands/command.h"
#include "app/commands/formatting.h"
#include "app/commands/uncaught_exceptions.h"
#include "core/base/error.h"
#include "core/base/freed_memory.h"
#include "core/base/nearest_name.h"
#include "core/base/quote.h"

namespace {

constexpr int input_is_wrong = 1;
constexpr int usage_is_wrong = 2;

using overlap::commands::Command;
using overlap::commands::one_line;

/// The commands within a command; option groups are subcommands for CLI11, too.
std::vector<std::string> command_names(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::App* within : command.get_subcommands(nullptr))
        if (!within->get_name().empty()) names.push_back(within->get_name());
    return names;
}

std::string no_such_command(const std::string& written, const std::vector<std::string>& names) {
    const std::vector<std::string> near = overlap::nearest_names(written, names, 1);
    return "there is no command " + overlap::in_quotes(written) +
           (near.empty() ? "" : "; nearest: " + overlap::in_quotes(near.front()));
}

/// What was written and belongs nowhere. CLI11 reports a missing required option or command before a misspelt one.
/// @param chosen the command, then the one within it, and so on.
/// @returns what is wrong with the first of it; empty where all belongs somewhere.
std::string misspelt(const std::vector<const CLI::App*>& chosen) {
    if (chosen.empty()) return {};
    const std::vector<std::string> commands = command_names(*chosen.back());
    for (const std::string& argument : chosen.front()->remaining(true)) {
        if (argument == "--") break;  // what follows are no options
        if (argument.size() < 2 || argument.front() != '-') {
            if (!commands.empty()) return no_such_command(argument, commands);
            continue;
        }
        std::vector<std::string> names;
        const auto add_options = [&](const CLI::App& of) {
            for (const CLI::Option* option : of.get_options())
                for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
        };
        for (const CLI::App* command : chosen) {
            add_options(*command);
            for (const CLI::App* group : command->get_subcommands(nullptr))
                if (group->get_name().empty()) add_options(*group);
        }
        const std::string written = argument.substr(0, argument.find('='));
        const std::vector<std::string> near = overlap::nearest_names(written, names, 1);
        return "there is no option " + overlap::in_quotes(written) +
               (near.empty() ? "" : "; nearest: " + overlap::in_quotes(near.front()));
    }
    return {};
}

int usage_error(const CLI::App& parser, const CLI::ParseError& error) {
    const auto is_parsed = [](const CLI::App* command) { return !command->get_name().empty() && command->parsed(); };
    std::vector<const CLI::App*> chosen;
    std::string program = "overlap";
    for (auto within = parser.get_subcommands(is_parsed); !within.empty();
         within = chosen.back()->get_subcommands(is_parsed)) {
        chosen.push_back(within.front());
        program += " " + within.front()->get_name();
    }
    const CLI::App& last = chosen.empty() ? parser : *chosen.back();
    const bool has_no_command = !command_names(last).empty() && dynamic_cast<const CLI::RequiredError*>(&error);
    std::string problem = misspelt(chosen);
    if (problem.empty()) problem = has_no_command ? "a command is required" : error.what();
    std::cerr << one_line(program + ": " + problem + "; see " + program + " --help") << '\n';
    return usage_is_wrong;
}

int input_error(const overlap::InputError& error) {
    std::cerr << one_line(std::string("overlap: ") + error.what()) << '\n';
    return input_is_wrong;
}

/// CLI11 treats a misspelt command as a missing one; this names similar commands.
/// @returns whether the first argument is no command.
bool is_unknown_command(const CLI::App& parser, const char* first) {
    if (!first || *first == '-') return false;
    const std::vector<std::string> names = command_names(parser);
    if (std::find(names.begin(), names.end(), first) != names.end()) return false;
    std::cerr << one_line("overlap: " + no_such_command(first, names) + "; see overlap --help") << '\n';
    return true;
}

/// @throws whatever is no fault of the input.
int run(int argument_count, char** arguments) {
    CLI::App parser("Plans and predicts the communication of a distributed training step.", "overlap");
    parser.set_version_flag("--version", OVERLAP_VERSION);
    parser.require_subcommand(1);

    using namespace overlap::commands;
    std::array<std::unique_ptr<Command>, 16> commands = {
        make_info(),         make_apply(),       make_simulate(), make_estimate(), make_bench(),  make_explain(),
        make_redistribute(), make_trace_stats(), make_compare(),  make_export(),   make_import(), make_calibrate(),
        make_sweep(),        make_bound(),       make_search(),   make_job()};
    std::vector<std::pair<CLI::App*, Command*>> declared;
    declared.reserve(commands.size());
    for (const std::unique_ptr<Command>& command : commands) {
        declared.emplace_back(command->declare(parser), command.get());
    }

    bool is_quiet = false;
    const auto add_quiet = [&](CLI::App& command) {
        command.add_flag("-q,--quiet", is_quiet, "no notes and cautions on stderr, errors alone");
    };
    for (const auto& [subcommand, command] : declared) {
        add_quiet(*subcommand);
        for (const std::string& within : command_names(*subcommand)) add_quiet(*subcommand->get_subcommand(within));
    }
    parser.footer(
        "A file to read may be - for standard input, or a pipe; a file to write - for standard output.\n"
        "Exit status: 0 done, 1 the input is wrong or its job cannot run, 2 wrong usage, also where an option's value "
        "cannot be read or is out of its range.");

    if (is_unknown_command(parser, argument_count > 1 ? arguments[1] : nullptr)) return usage_is_wrong;
    bool is_answered = false;  // by help or the version
    bool prints_beside = false;
    try {
        parser.parse(argument_count, arguments);
        for (const auto& [subcommand, command] : declared) {
            if (!subcommand->parsed()) continue;
            check_files(*subcommand);
            prints_beside = writes_standard_output(*subcommand);
            read_pipes(*subcommand);
        }
    } catch (const CLI::Success& asked) {
        parser.exit(asked);
        is_answered = true;
    } catch (const CLI::ParseError& error) {
        return usage_error(parser, error);
    } catch (const overlap::InputError& error) {
        return input_error(error);
    }

    std::ostream nowhere(nullptr);
    std::ostream& notes = is_quiet ? nowhere : std::cerr;
    const Streams streams{prints_beside ? notes : std::cout, notes};
    try {
        for (const auto& [subcommand, command] : declared) {
            if (subcommand->parsed() && !is_answered) command->run(streams);
        }
        require_standard_output();
    } catch (const CLI::ParseError& error) {
        return usage_error(parser, error);
    } catch (const overlap::InputError& error) {
        return input_error(error);
    }
    return 0;
}

}  // namespace

int main(int argument_count, char** arguments) {
    overlap::keep_freed_memory();
    overlap::commands::print_uncaught_exceptions("overlap", input_is_wrong);
    try {
        return run(argument_count, arguments);
    } catch (const std::bad_alloc&) {
        overlap::commands::print_out_of_memory();
    } catch (const std::system_error& error) {
        overlap::commands::print_refusal_of_the_system(error);
    }
    return input_is_wrong;
}
