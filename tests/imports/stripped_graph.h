#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/graph/graph.h"
#include "core/imports/operators/tensor_typing.h"

namespace overlap::test {

/// The nodes of a graph without the tensors that calls return; inputs keep theirs, and symbols their values.
UntypedGraph strip_tensors(const Graph& graph);

/// How the tensors that rules worked out compare with a graph's own.
struct TypingComparison {
    std::size_t calls = 0;  ///< calls that return tensors
    std::size_t known = 0;  ///< of these, those whose tensors were worked out
    std::size_t equal = 0;  ///< of these, those with the same dtype, sizes, strides, offset and device throughout
    std::size_t aliases_checked = 0, aliases_equal = 0;  ///< "shares memory with an input" says the same
    std::map<std::string, std::size_t> different;        ///< by operator
    std::map<std::string, std::size_t> unknown;          ///< by operator and reason
    std::string first_difference;
};

TypingComparison compare_typing(const Graph& graph);

}  // namespace overlap::test
