#pragma once

#include <string>

#include "core/files/ordered_json.h"
#include "core/passes/pass.h"

namespace overlap {

/// A digest of a JSON value, 16 hexadecimal digits: kinds, numbers and texts, fields in their order. How it was
/// formatted does not count. With it a job checks that the section `job` is what was exported; the counterpart is
/// resources/torch/overlap_studio/digests.py (`value_digest`), and a change of one is a change of the other.
std::string value_digest(const Json& value);

}  // namespace overlap
