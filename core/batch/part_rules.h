#pragma once

#include "core/batch/rule_call.h"

/// Rules of operators that cut tensors into parts or put parts together. Each is a BatchRule.
namespace overlap::batch_rules {

bool concatenation(const OperatorCall& call);
bool stack(const OperatorCall& call);
bool parts(const OperatorCall& call);
bool slice(const OperatorCall& call);
bool slice_backward(const OperatorCall& call);
bool select_backward(const OperatorCall& call);
bool roll(const OperatorCall& call);
bool pad(const OperatorCall& call);
bool collective(const OperatorCall& call);

}  // namespace overlap::batch_rules
