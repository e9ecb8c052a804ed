#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/job/document/job_document.h"
#include "core/job/schedules/named_schedules.h"

namespace overlap::job {

/// Ranks in a row, such as those of a host, that compute slower.
struct SlowRanks {
    std::int64_t first = 0, count = 1;
    double factor = 1;  ///< multiplies their compute
    bool operator==(const SlowRanks&) const = default;
};

/// How tokens are spread over the ranks of experts, in place of the document's shares.
enum class TriedRouting : std::uint8_t {
    own,          ///< the document's
    even,         ///< each rank receives as many
    one_doubled,  ///< the first rank of the group receives twice what each other one does
};

/// What is tried with a job of stages: what is not given stays as the document has it.
struct JobChanges {
    std::string schedule;  ///< a name of named_schedules(); empty: the document's own
    std::optional<std::int32_t> microbatches;
    std::optional<SlowRanks> slow;  ///< in place of those that the document has
    bool nobody_slow = false;       ///< those that the document has are left out
    TriedRouting routing = TriedRouting::own;
    bool operator==(const JobChanges&) const = default;
};

/// The document with the changes made.
/// @param folder that its paths are relative to. @throws InputError with the place: no such schedule or rank, a job of
/// programs, a routing where the document has none, or a schedule that is refused where ranks are slow.
JobDocument changed_job(const JobDocument& job, const JobChanges& changes, const std::string& folder);

/// The schedule of that name for a job: on as many pipeline ranks as it has, where PyTorch makes it for them.
/// @param ranks of the job's own schedule; 0 where it is refused.
ScheduleSpec schedule_by_name(const JobDocument& job, const NamedSchedule& schedule, std::int32_t ranks);

}  // namespace overlap::job
