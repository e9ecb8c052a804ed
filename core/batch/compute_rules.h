#pragma once

#include "core/batch/rule_call.h"

/// Rules of products, attention, look-ups and losses. Each is a BatchRule.
namespace overlap::batch_rules {

bool matrix_product(const OperatorCall& call);
bool added_product(const OperatorCall& call);
bool embedding(const OperatorCall& call);
bool embedding_backward(const OperatorCall& call);
bool index(const OperatorCall& call);
bool index_put(const OperatorCall& call);
bool index_select(const OperatorCall& call);
bool scatter(const OperatorCall& call);
bool gather(const OperatorCall& call);
bool loss(const OperatorCall& call);
bool loss_backward(const OperatorCall& call);
bool loss_of_elements(const OperatorCall& call);
bool attention(const OperatorCall& call);
bool attention_backward(const OperatorCall& call);

}  // namespace overlap::batch_rules
