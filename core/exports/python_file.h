#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/exports/export_format.h"
#include "core/files/ordered_json.h"

namespace overlap {

/// How Python files of this folder begin: a docstring, then what they were made from and what they leave out as data,
/// `PLAN` and `NOTES`. Comments and docstrings are fixed texts; what comes from a plan or a graph is a value.
/// @param docstring fixed text, whole lines without the quotes.
/// @param imports fixed text, whole lines, or empty.
std::string python_file_head(const ExportInput& input, std::string_view docstring, std::string_view imports,
                             std::span<const std::string> notes);

/// `NAME = VALUE`, with an empty line in front.
std::string python_assignment(std::string_view name, const Json& value);

}  // namespace overlap
