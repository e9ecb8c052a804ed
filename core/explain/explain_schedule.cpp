#include "core/explain/explain_schedule.h"

#include <optional>

#include "core/base/number_text.h"
#include "core/base/wording.h"
#include "core/explain/scheduled_collectives.h"

namespace overlap {

std::vector<std::string> explain_schedule(const Evaluation& evaluation, std::string_view collective) {
    const std::optional<ScheduledCollectives> scheduled = find_scheduled(evaluation, collective);
    if (!scheduled) return {};
    const std::string others = times_other_than_schedulers(evaluation);
    const std::string by =
        others.empty() ? "" : "By the times that PyTorch estimates, by which it decides, and not " + others + ", ";
    const std::string scheduler = by + (by.empty() ? "The scheduler " : "the scheduler ");
    const std::size_t count = scheduled->collectives().size();
    const std::string whose = count == 1 ? "its " : "the ";
    const std::string time =
        time_text(scheduled->estimated_ms()) +
        (count == 1 ? "" : " of the " + counted(count, "collective") + " that were merged afterwards");
    const std::vector<std::string> hiding = scheduled->hiding();
    if (!scheduled->is_exposed()) {
        return {hiding.empty() ? scheduler + "counts no time for it that something would have to hide"
                               : scheduler + "hides all of " + whose + time + " behind " + enumerated(hiding)};
    }
    const std::string exposed = time_text(scheduled->exposed_ms()) + " of " + whose + time;
    if (hiding.empty()) {
        // A collective that follows another with which it may be merged has its latency off.
        const double latency_ms = scheduled->estimated_ms() - scheduled->exposed_ms();
        const bool has_latency_off = time_text(scheduled->exposed_ms()) != time_text(scheduled->estimated_ms());
        return {scheduler + "found nothing to hide it behind and leaves " + exposed + " exposed" +
                (has_latency_off ? "; the other " + time_text(latency_ms) +
                                       " are latency, which it does not count of what may be "
                                       "merged with another that is in flight"
                                 : "")};
    }
    return {scheduler + "leaves " + exposed + " exposed; the rest is hidden behind " + enumerated(hiding)};
}

bool scheduler_leaves_exposed(const Evaluation& evaluation, std::string_view collective) {
    const std::optional<ScheduledCollectives> scheduled = find_scheduled(evaluation, collective);
    return scheduled && scheduled->is_exposed();
}

}  // namespace overlap
