// Whether, when and how a search begins, and what is said where it does not.
#include <QPushButton>
#include <utility>

#include "core/memory/device_memory.h"
#include "core/pipeline/step_with_links_shared.h"
#include "ui/document/document.h"
#include "ui/document/evaluation_failure.h"
#include "ui/document/graph_reading.h"
#include "ui/search/earlier_searches.h"
#include "ui/search/front_chart.h"
#include "ui/search/search_controls.h"
#include "ui/search/search_panel.h"

namespace overlap::ui {

SearchPanel::Obstacle SearchPanel::obstacle() const {
    if (!document_.isOpen())
        return {document_.loading() ? noGraphOpen(document_) : tr("Open a graph to find plans for it")};
    const auto evaluation = document_.evaluation();
    if (!evaluation) return {whyNotEvaluated(document_), evaluationFailure(document_).isEmpty()};
    if (!evaluation->times_known) return {tr("Without times nothing can be compared; choose a cost model")};
    if (evaluation->time_source && evaluation->time_source->measured())
        return {tr("Measured times are those of one plan; use the graph's times to find another")};
    const QString unknown_limit = controls_->obstacle();
    return {unknown_limit.isEmpty() ? controls_->impossibility() : unknown_limit};
}

void SearchPanel::findOrFinish() {
    if (busy()) return task_.finishNow();
    if (obstacle().why.isEmpty()) begin();
}

void SearchPanel::beginIfNew() {
    if (!busy() && !found_) findOrFinish();
}

void SearchPanel::beginSoon() {
    if (busy()) return;
    begins_soon_ = true;
    remark_.clear();
    hindrance_.clear();
    update();
}

/// Begins what beginSoon() promised, or says that it will not be.
/// @returns whether it has begun.
bool SearchPanel::keepPromise() {
    if (!begins_soon_) return false;
    const Obstacle now = obstacle();
    if (now.passes) return false;
    begins_soon_ = false;
    if (now.why.isEmpty()) {
        begin();
        return true;
    }
    hindrance_ = now.why;
    return false;
}

void SearchPanel::begin() {
    const auto evaluation = document_.evaluation();
    SearchRequest request;
    SearchOptions& options = request.options;
    options.memory_limit = controls_->limitBytes();
    options.effort = controls_->plans();
    // Not that of a plan that is being evaluated anew.
    options.time_source = document_.baseline().time_source;
    options.any_order = controls_->anyOrder()->isChecked();
    if (controls_->startsFromCurrent()) options.from = document_.current()->plan();
    options.locks = controls_->locks();
    searched_limit_ = options.memory_limit;
    any_order_ = options.any_order;
    request.links = controls_->links();
    Former former{found_, chosen_};
    begins_soon_ = false;
    forget();
    former_ = std::move(former);
    links_ = request.links;
    describeEarlier();
    const bool shares = request.links == LinkSharing::by_host;
    request.start = {document_.current()->key(), document_.current()->title(),
                     shares ? step_with_links_shared(*evaluation) : evaluation->simulation.step_ms,
                     evaluation->corrected_memory.peak_bytes,
                     document_.editable() ? std::optional(document_.current()->plan()) : std::nullopt};
    began_ = request.start;
    showLinks(links_, evaluation->on_shared_links.has_value());
    drawStart();
    chart_->setNote({});
    running_ = InterruptedSearch{0, options.effort};
    task_.start(document_.graph(), std::move(request));
    emit keptChanged();
    progress_ = tr("Presets, the automatic pass and buckets of blocks are evaluated first");
    tellProgress();
    update();
}

/// Other times, or another cost model, make other figures.
void SearchPanel::takeTimes() {
    const QString times = timesNow();
    if (times == times_) {  // by another name, or with something asked for that changes nothing
        chart_->setDeviceMemory(device_memory_bytes(*document_.graph()));
        return update();
    }
    // Its figures are those of the times that it began with, but its best plan is one with any.
    std::optional<InterruptedSearch> ended = busy() ? std::exchange(running_, std::nullopt) : std::nullopt;
    setAside();
    times_ = times;
    forget();
    takeBack();
    if (ended) {
        ended->reason = tr("because other times are used now");
        remark_ = tr("The search was cut off %1").arg(ended->reached());
        const bool is_kept = ended->best || !cut_off_;
        if (is_kept) cut_off_ = std::move(ended);
        emit keptChanged();
        // Of an older one that is kept on instead, it has been told.
        if (is_kept) emit interrupted(*cut_off_);
    }
    tellWhereItStands();
}

void SearchPanel::tellWhereItStands() {
    QStringList sentences;
    const QString why = obstacle().why;
    if (hindrance_ != why) hindrance_.clear();
    if (!remark_.isEmpty()) sentences.append(remark_);
    if (begins_soon_)
        sentences.append(tr("The search begins as soon as the plan that is shown has been evaluated"));
    else if (!hindrance_.isEmpty())
        sentences.append(tr("The search cannot begin: %1").arg(hindrance_));
    else if (found_ && remark_.isEmpty())
        return say(captionOf(foundBeside()), true);
    else if (!found_ && !why.isEmpty() && !remark_.endsWith(why))
        sentences.append(why);
    say(sentences.join(QStringLiteral(". ")));
}

}  // namespace overlap::ui
