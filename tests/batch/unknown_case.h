#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/batch/token_step.h"

namespace overlap {

inline Value integer(std::int64_t value) {
    return Value::of_integer(value);
}

/// How an operator whose rule does not know its arguments is refused.
inline std::string unknown(std::string_view target) {
    return "node \"result\": the batch cannot be changed: what " + std::string(target) +
           " does with such arguments is not known";
}

/// A call of an operator that takes the batch in a way of which its rule says nothing.
struct UnknownCase {
    std::string_view name, target;
    std::function<std::vector<Value>(Step&)> args;
    Sizes sizes;
};

/// The two sequences.
inline Value each(Step& step) {
    return Step::node(step.embedded);
}

/// Of two numbers, which grow.
inline Value row_of_tokens(Step& step) {
    return Step::node(step.call("row", "aten.select.int", {Step::node(step.tokens), integer(1), integer(0)}, {2}));
}

inline Value list_of(Step& step, const std::vector<Value>& items) {
    return step.builder.list(items);
}

/// Whether the call is refused, with the operator.
inline void expect_refused(const UnknownCase& one) {
    SCOPED_TRACE(one.name);
    Step step;
    const std::vector<Value> args = one.args(step);
    step.call("result", one.target, args, one.sizes);
    EXPECT_EQ(step.refusal(6), unknown(one.target));
}

}  // namespace overlap
