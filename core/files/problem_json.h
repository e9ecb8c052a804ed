#pragma once

#include <span>

#include "core/base/problem.h"
#include "core/files/json_writer.h"

namespace overlap {

/// Problems as a list of objects with `severity`, `kind`, `message` and `nodes`, as results of commands have them.
void write_problems(JsonWriter& json, std::span<const Problem> problems);

}  // namespace overlap
