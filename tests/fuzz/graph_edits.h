#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "tests/fuzz/choices.h"

namespace overlap::fuzz {

/// `source` with that many changes, as `choices` say. What a file may have only this way still holds: each node is
/// behind its inputs, there is one output at most, sizes and times are in the reader's bounds.
/// @throws InputError where its tensors have more bytes together, or one reaches further, than a document may have it,
/// or where a node takes the output as an input or is a placeholder or get_attr that has inputs.
std::shared_ptr<const Graph> with_edits(std::shared_ptr<const Graph> source, std::size_t count, Choices& choices);

/// Paths that nodes' modules are changed to.
const std::vector<std::string>& odd_modules();

}  // namespace overlap::fuzz
