#pragma once

#include "core/batch/rule_call.h"

/// Rules of operators that move elements or compute each from those at its place. Each is a BatchRule.
namespace overlap::batch_rules {

bool elementwise(const OperatorCall& call);
bool normalization(const OperatorCall& call);
bool item_of_tuple(const OperatorCall& call);
bool view(const OperatorCall& call);
bool complex_view(const OperatorCall& call);
bool transpose(const OperatorCall& call);
bool permute(const OperatorCall& call);
bool unsqueeze(const OperatorCall& call);
bool squeeze(const OperatorCall& call);
bool reduction(const OperatorCall& call);
bool select(const OperatorCall& call);

}  // namespace overlap::batch_rules
