#pragma once

#include "core/files/ordered_json.h"
#include "core/passes/overlaps/overlap_directives.h"

namespace overlap {

/// The directives as the plan document has them: a list of objects, or an object of `directives` and the two settings
/// where one of them is not the default. @throws InputError with the place in `json`.
OverlapDirectives read_overlap_directives(const Json& json);
Json overlap_directives_json(const OverlapDirectives& directives);

}  // namespace overlap
