// How far a search is.
#include "core/plan/preset_titles.h"
#include "ui/search/front_chart.h"
#include "ui/search/search_panel.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {
namespace {

constexpr int kept_each_ms = 1000;  ///< the session is written anew each time

}  // namespace

void SearchPanel::showProgress(const SearchProgress& progress) {
    QString text = tr("%1 of %2 plans").arg(progress.evaluations).arg(progress.effort);
    if (progress.best_ms > 0) {
        text += tr(" · best %1, %2 (%3)")
                    .arg(formatTime(progress.best_ms), aboveBound(progress.best_ms, progress.bound_ms, any_order_),
                         QString::fromStdString(with_preset_titles(progress.origin)));
        drawTrail(progress);
    }
    running_ = InterruptedSearch::of(progress);
    running_->baseline_ms = baselineMs(LinkSharing::by_host);
    if (!keep_.isActive()) keep_.start(kept_each_ms);
    progress_ = text;
    tellProgress();
}

void SearchPanel::tellProgress() {
    QString text = progress_;
    if (limit() != searched_limit_)
        text += searched_limit_ ? tr(" · within %1, the limit that it began with")
                                      .arg(formatBytes(static_cast<double>(*searched_limit_)))
                                : tr(" · with any peak, as it began");
    say(text);
}

/// The best so far, and those that it took the place of.
void SearchPanel::drawTrail(const SearchProgress& progress) {
    const StepPeakChart::Point best{-1, tr("best so far"), progress.best_ms, progress.best_peak_bytes};
    if (!trail_.empty() && trail_.back().step_ms == best.step_ms && trail_.back().peak_bytes == best.peak_bytes) return;
    for (StepPeakChart::Point& former : trail_) former.name_rank = 0;
    trail_.push_back(best);
    chart_->clear();
    for (const StepPeakChart::Point& point : trail_) chart_->add(point);
    chart_->setBound({{best.peak_bytes, progress.bound_ms}});
}

}  // namespace overlap::ui
