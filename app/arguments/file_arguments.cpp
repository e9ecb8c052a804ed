#include "app/arguments/file_arguments.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace overlap::commands {

namespace {

namespace fs = std::filesystem;

constexpr const char* file_to_read = "file to read";
constexpr const char* file_to_write = "file to write";

/// CLI11 keeps no user data with an option except validators: one that accepts everything is used as a mark.
CLI::Option* mark(CLI::Option* argument, const char* name) {
    return argument->check(CLI::Validator([](std::string&) { return std::string(); }, "", name));
}

bool has_mark(CLI::Option& argument, const char* name) {
    try {
        argument.get_validator(name);
        return true;
    } catch (const CLI::OptionNotFound&) {
        return false;
    }
}

/// Options of a command, of its groups, which are commands without a name to CLI11, and of the command within it that
/// was called.
void add_arguments(CLI::App& command, std::vector<CLI::Option*>& arguments) {
    for (CLI::Option* option : command.get_options()) arguments.push_back(option);
    for (CLI::App* group : command.get_subcommands(nullptr)) {
        if (group->get_name().empty() || group->parsed()) add_arguments(*group, arguments);
    }
}

/// Whether content there can be lost: devices and pipes keep nothing, and a folder is refused later.
bool keeps_content(const std::string& name) {
    std::error_code error;
    const fs::file_status status = fs::status(name, error);
    return !fs::exists(status) || fs::is_regular_file(status);
}

std::vector<GivenFile> files_marked(const std::vector<CLI::Option*>& arguments, const char* mark) {
    std::vector<GivenFile> files;
    for (CLI::Option* argument : arguments) {
        if (!has_mark(*argument, mark)) continue;
        for (const std::string& name : argument->results()) {
            if (!name.empty()) files.push_back({argument->get_name(), name});
        }
    }
    return files;
}

/// Where a file is, or would be: links are followed also where their target does not exist yet.
fs::path place_of(const std::string& name) {
    constexpr int most_links = 40;  // as the kernel's own limit
    fs::path path = name;
    std::error_code error;
    for (int links = 0; links < most_links; ++links) {
        const fs::path next = fs::read_symlink(path, error);
        if (error) break;
        path = path.parent_path() / next;
    }
    path = fs::absolute(path, error);
    const fs::path place = fs::weakly_canonical(path, error);
    return error ? path.lexically_normal() : place;
}

/// Whether what is written to one name takes the place of the other's content.
bool are_one_file(const std::string& left, const std::string& right) {
    if (!keeps_content(left) || !keeps_content(right)) return false;
    std::error_code error;
    if (fs::exists(left, error) && fs::exists(right, error)) return fs::equivalent(left, right, error);
    return place_of(left) == place_of(right);
}

}  // namespace

CLI::Option* reads(CLI::Option* argument) {
    return mark(argument, file_to_read);
}

CLI::Option* writes(CLI::Option* argument) {
    const auto standard_output = [](std::string& name) {
        if (name == "-") name = "/dev/stdout";
        return std::string();
    };
    return argument->transform(CLI::Validator(standard_output, "", file_to_write));
}

bool writes_standard_output(CLI::App& command) {
    struct stat standard {};
    if (fstat(STDOUT_FILENO, &standard) != 0 || S_ISCHR(standard.st_mode)) return false;
    std::vector<CLI::Option*> arguments;
    add_arguments(command, arguments);
    const std::vector<GivenFile> outputs = files_marked(arguments, file_to_write);
    return std::ranges::any_of(outputs, [&](const GivenFile& output) {
        struct stat written {};
        return stat(output.name.c_str(), &written) == 0 && written.st_dev == standard.st_dev &&
               written.st_ino == standard.st_ino;
    });
}

std::vector<std::string> files_to_read(CLI::App& command) {
    std::vector<CLI::Option*> arguments;
    add_arguments(command, arguments);
    std::vector<std::string> files;
    for (CLI::Option* argument : arguments) {
        if (!has_mark(*argument, file_to_read)) continue;
        for (const std::string& name : argument->results()) files.push_back(name);
    }
    return files;
}

void check_files(CLI::App& command) {
    std::vector<CLI::Option*> arguments;
    add_arguments(command, arguments);
    const std::vector<GivenFile> inputs = files_marked(arguments, file_to_read);
    const std::vector<GivenFile> outputs = files_marked(arguments, file_to_write);
    for (std::size_t index = 0; index < outputs.size(); ++index)
        check_output(outputs[index], inputs, std::span(outputs).first(index));
}

void check_output(const GivenFile& output, std::span<const GivenFile> inputs, std::span<const GivenFile> others) {
    std::error_code error;
    for (const GivenFile& input : inputs) {
        if (!fs::exists(input.name, error) || !are_one_file(output.name, input.name)) continue;
        throw CLI::ValidationError(output.argument, output.name + " would be overwritten, and " + input.argument +
                                                        " reads it; name another file");
    }
    for (const GivenFile& other : others) {
        if (!are_one_file(output.name, other.name)) continue;
        throw CLI::ValidationError(output.argument,
                                   output.name + " is the file that " + other.argument + " writes; name another one");
    }
}

}  // namespace overlap::commands
