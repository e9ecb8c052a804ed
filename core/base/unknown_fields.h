#pragma once

#include <string>
#include <utility>
#include <vector>

namespace overlap {

/// Fields of a document that this version does not know: name and value as JSON text, in the order of the document.
/// Readers keep them and writers put them back.
using UnknownFields = std::vector<std::pair<std::string, std::string>>;

}  // namespace overlap
