#pragma once

#include <string>
#include <string_view>

#include "core/job/schedules/action.h"

namespace overlap::job {

/// Lists as `torch.distributed.pipelining` writes them: one row a pipeline rank, a cell an action. Blank lines at the
/// end do not count.
/// @throws InputError with row and cell.
ActionLists read_schedule_csv(std::string_view text);
/// @throws InputError without the file's name, as read_schedule_csv or where it cannot be read.
ActionLists read_schedule_file(const std::string& path);
std::string schedule_csv(const ActionLists& lists);

}  // namespace overlap::job
