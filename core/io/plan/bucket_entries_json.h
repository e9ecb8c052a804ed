#pragma once

#include <string>
#include <vector>

#include "core/files/ordered_json.h"
#include "core/plan/plan.h"

namespace overlap {

/// One item of a plan's `buckets` (docs/formats.md): an entry, or several where it is an abbreviation such as
/// `layers.[0-2]`. Items of a list are names as they are.
/// @param bounds of all items together.
/// @throws InputError with the place in the plan.
std::vector<BucketEntry> read_bucket_entries(const Json& value, const std::string& place, ExpansionBounds& bounds);
/// The entry as an item of `buckets`; a list where its one name would be read as an abbreviation.
Json bucket_entry_json(const BucketEntry& entry);

}  // namespace overlap
