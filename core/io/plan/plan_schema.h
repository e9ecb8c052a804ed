#pragma once

#include "core/files/ordered_json.h"
#include "core/passes/pass.h"

namespace overlap {

/// The JSON schema of a pass's options, made from their declarations.
Json options_schema(const Pass& pass);

/// The schema of plans (resources/schemas/overlap-plan.schema.json) with what it says of passes and their options made
/// from the declarations; all else stays as it is. @param schema an earlier version of it.
Json with_declared_options(Json schema);

/// The text of the schema's file.
std::string schema_text(const Json& schema);

}  // namespace overlap
