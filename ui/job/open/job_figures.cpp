#include "ui/job/open/job_figures.h"

#include <algorithm>

namespace overlap::ui {

std::optional<JobFigures> figuresOf(const job::JobPicture* picture) {
    if (!picture || !picture->evaluation->result.step_ms) return std::nullopt;
    const job::JobResult& result = picture->evaluation->result;
    JobFigures figures;
    figures.step_ms = *result.step_ms;
    figures.ranks = static_cast<std::int64_t>(result.ranks.size());
    if (picture->evaluation->pipeline) figures.microbatches = picture->evaluation->job->schedule.microbatches;
    const job::RankFigures sum = result.sum_of_ranks();
    const double all = figures.step_ms * static_cast<double>(figures.ranks);
    if (all <= 0) return figures;
    figures.idle_share = 1 - sum.busy_ms / all;
    figures.waiting_share = sum.waiting_for_peers_ms / all;
    figures.transfer_share = sum.transfer_exposed_ms / all;
    figures.done_share = std::max(0.0, figures.idle_share - figures.waiting_share - figures.transfer_share);
    return figures;
}

std::optional<double> throughputGain(const JobFigures& figures, const JobFigures& opened) {
    if (figures.ranks == opened.ranks && figures.microbatches == opened.microbatches) return std::nullopt;
    const auto work = [](const JobFigures& of) {
        return of.microbatches / (of.step_ms * static_cast<double>(of.ranks));
    };
    if (!(work(opened) > 0) || !(figures.step_ms > 0) || figures.ranks == 0) return std::nullopt;
    return work(figures) / work(opened) - 1;
}

}  // namespace overlap::ui
