#include "app/arguments/compiled_option.h"

namespace overlap::commands {

void CompiledOption::declare(CLI::App& command, const std::string& help) {
    command.add_option("--compiled", name_, help)->check(CLI::IsMember({"blocks", "whole", "eager", "none"}));
}

}  // namespace overlap::commands
