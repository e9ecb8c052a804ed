#include "core/plan/found_note.h"

#include "core/base/number_text.h"

namespace overlap {

std::string found_plan_name(double step_ms, std::int64_t peak_bytes) {
    return "Found " + time_text(step_ms) + " at " + bytes_text(peak_bytes);
}

}  // namespace overlap
