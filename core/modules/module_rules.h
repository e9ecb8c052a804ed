#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/unknown_fields.h"

namespace overlap {

/// Gives modules to nodes whose module stacks are missing (core/modules/module_repair.h applies rules to a graph).
/// A value; fields that a kind does not use are empty.
struct ModuleRule {
    enum class Kind {
        parameters,  ///< users of the parameters whose names fit `pattern`, with the way from the parameter to them
        source,      ///< nodes that come from lines `first_line` to `last_line` of a file that fits `file`
        repetition,  ///< the nodes from `first` to `last`, which come `count` times in succession
        nodes,       ///< the nodes that `nodes` names
        neighbours,  ///< nodes between nodes with modules: the module that these share
    };

    Kind kind = Kind::parameters;
    /// The module that nodes get, with parts of the pattern put in: `layers.{n}.attention`. `{n}` of a repetition is
    /// its number; of a source rule, how often the lines were run through before.
    std::string module;
    std::string pattern;          ///< of parameter names (core/modules/module_pattern.h)
    std::string file;             ///< of a source rule; `*` matches any text
    std::int64_t first_line = 0;  ///< 0: from the beginning
    std::int64_t last_line = 0;   ///< 0: to the end
    std::string function;         ///< of a source rule; empty for any
    std::string first, last;      ///< of a repetition: nodes at both ends of the first one
    std::uint32_t count = 0;      ///< of a repetition: how many there are
    std::uint32_t begin = 0;      ///< of a repetition: the number of the first one (of the last one if `backward`)
    bool backward = false;        ///< of a repetition: numbers fall, as in a backward graph
    std::vector<std::string> nodes;
    bool override_own = false;  ///< also nodes that have a module in the graph
    UnknownFields extra{};

    bool operator==(const ModuleRule&) const = default;
};

/// `parameters`, `source`, `repetition`, `nodes`, `neighbours`.
std::string_view rule_kind_name(ModuleRule::Kind kind);
/// All of them, in the order of ModuleRule::Kind.
std::span<const std::string_view> rule_kind_names();

/// What is wrong with a rule whatever the graph, as a clause; empty if it can be applied.
std::string rule_error(const ModuleRule& rule);

/// One rule in words, such as `parameters layers.{n}.wq.* → layers.{n}.wq`.
std::string describe(const ModuleRule& rule);

}  // namespace overlap
