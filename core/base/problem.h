#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/problem_kind.h"

namespace overlap {

enum class Severity { note, caution, error };
/// Stable short name: `note`, `caution`, `error`.
std::string_view severity_name(Severity severity);

/// Something that the user should know: a hazard of the reference, a refusal, a name that matches nothing.
struct Problem {
    Severity severity = Severity::note;
    ProblemKind kind = ProblemKind::general;
    std::string title;                       ///< two or three words
    std::string message;                     ///< a sentence without full stop
    std::vector<std::string> nodes;          ///< names of nodes concerned, in the graph that the message refers to
    int plan_entry = -1;                     ///< index of the bucket entry concerned, or -1
    int memory_rule = -1;                    ///< index of the rule of the memory section concerned, or -1
    std::string module;                      ///< path in that entry that the message and the fix refer to, or empty
    std::string fix;                         ///< label of a fix that the application offers, or empty
    std::optional<std::string> replacement;  ///< module that the fix names instead of `module`
    std::optional<std::size_t> directive;    ///< index of the overlap by hand that the fix removes
    ErrorCode error = ErrorCode::general;    ///< of the error that the problem was made of
};

}  // namespace overlap
