#pragma once

#include "core/files/ordered_json.h"
#include "core/passes/pass.h"

namespace overlap {

/// A report as `overlap apply --report` and the exports write it.
///
///     {"pass": NAME,
///      "buckets": [{"plan_entry", "kind", "process_group", "dtype", "bytes", "members", "start", "waits"}],
///      "orderings": [{"target", "source"}],
///      "groups": [{"name", "source", "high_priority", "ranks_reordered", "reason", "moved"}],
///      "collectives": [{"start", "estimated_ms", "exposed_ms", "size_bytes", "hiding"}],
///      "problems": [{"severity", "kind", "message", "nodes", "plan_entry"}]}
///
/// `orderings` are the edges "target comes after source" that the pass added. `groups` are process groups that the job
/// is to create. `collectives` are the overlap scheduler's figures. `plan_entry` counts from 1, as texts do; of a
/// bucket it is null where the pass chose it itself, and of a problem left out where that is not about an entry of the
/// plan.
Json report_json(const PassReport& report);

/// One element of `buckets` above.
Json bucket_json(const BucketReport& bucket);

/// One element of `problems` above.
Json problem_json(const Problem& problem);

}  // namespace overlap
