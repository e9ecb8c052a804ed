// What was found: shown, chosen, kept and opened.
#include <QLabel>
#include <QPushButton>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/pipeline/step_with_links_shared.h"
#include "ui/document/document.h"
#include "ui/document/found_note.h"
#include "ui/search/earlier_searches.h"
#include "ui/search/front_area.h"
#include "ui/search/front_chart.h"
#include "ui/search/limit_slider.h"
#include "ui/search/parts_table.h"
#include "ui/search/search_controls.h"
#include "ui/search/search_panel.h"
#include "ui/search/start_now.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {
namespace {

QString bytes(std::int64_t count) {
    return formatBytes(static_cast<double>(count));
}

/// But for rounding in a file.
bool isSameTime(double kept_ms, double now_ms) {
    constexpr double rounding_share = 1e-6;
    return std::abs(kept_ms - now_ms) <= rounding_share * now_ms;
}

}  // namespace

void SearchPanel::showFound(const FoundPlans& found, int chosen) {
    found_ = found;
    kept_ = {};
    former_ = {};
    running_.reset();
    began_ = found.start;
    links_ = found.links;
    drawStart();
    drawChoices();
    if (found.front_peaks.size() > 1) slider_->setPeaks(found.front_peaks);
    front_->offerSlider(found.front_peaks.size() > 1);
    remark_.clear();
    tellWhereItStands();
    showLimit();
    choose(chosen);
    update();
    emit keptChanged();
}

void SearchPanel::showFormer() {
    const Former former = std::exchange(former_, {});
    showFound(*former.found, former.chosen);
}

QJsonObject SearchPanel::kept() const {
    QJsonObject kept = keptFound();
    if (const QJsonObject asked = controls_->kept(); !asked.isEmpty()) kept["asked"] = asked;
    // One that has found nothing yet does not push out what the one before it had found.
    const auto& running = running_ && (running_->best || !cut_off_) ? running_ : cut_off_;
    if (running) kept["running"] = running->toJson();
    return kept;
}

QJsonObject SearchPanel::keptFound() const {
    const std::optional<FoundPlans>& found = found_ ? found_ : former_.found;
    const auto place_of = [this](quint64 key) { return document_.indexOf(key); };
    QJsonObject kept;
    if (found) {
        if (kept_.isEmpty()) kept_ = toJson(*found, 0);
        kept = kept_;
        kept["times"] = times_;
        kept["chosen"] = found_ ? chosen_ : former_.chosen;
        kept["start_at"] = place_of(found->start.key);
        if (!earlier_->isEmpty()) kept["earlier"] = earlier_->kept(place_of);
    }
    if (!aside_.isEmpty()) kept["others"] = aside_.kept(place_of);
    return kept;
}

void SearchPanel::restore(const QJsonObject& kept) {
    aside_.restore(kept, [this](int place) {
        return place >= 0 && place < document_.variantCount() ? document_.variant(place).key() : 0;
    });
    controls_->restore(kept["asked"].toObject());
    takeBack();
    cut_off_ = InterruptedSearch::fromJson(kept["running"].toObject());
    if (cut_off_) emit interrupted(*cutOff());
}

double SearchPanel::baselineMs(LinkSharing links) const {
    const Evaluation& baseline = document_.baseline();
    return links == LinkSharing::by_host ? step_with_links_shared(baseline) : baseline.simulation.step_ms;
}

bool SearchPanel::cutOffHasOtherTimes() const {
    if (!cut_off_ || cut_off_->baseline_ms <= 0 || !document_.isOpen()) return false;
    return !isSameTime(cut_off_->baseline_ms, baselineMs(LinkSharing::by_host));
}

std::optional<InterruptedSearch> SearchPanel::cutOff() const {
    std::optional<InterruptedSearch> search = cut_off_;
    if (search && search->reason.isEmpty() && cutOffHasOtherTimes())
        search->reason = tr("with other times than those used now");
    return search;
}

QString SearchPanel::timesNow() const {
    return document_.isOpen() ? timesOf(document_.baseline()) : QString();
}

void SearchPanel::setAside() {
    FoundWithOtherTimes::Set set{times_, earlier_->all()};
    if (former_.found) set.found.insert(set.found.begin(), {*former_.found, former_.chosen});
    if (found_) set.found.insert(set.found.begin(), {*found_, chosen_});
    aside_.add(std::move(set));
    earlier_->clear();
}

void SearchPanel::takeBack() {
    if (aside_.isEmpty() || found_ || busy() || !document_.isOpen() || !document_.baseline().times_known) return;
    // Of an older version, which did not keep the times: the step of the graph as it is tells whether they are these.
    const auto is_of_this_step = [this](const FoundPlans& found) {
        return isSameTime(found.baseline_ms, baselineMs(found.links));
    };
    const std::vector<KeptFoundPlans> taken = aside_.take(times_, is_of_this_step);
    if (taken.empty()) {
        remark_ = tr("What was found is of other times than those used now; it is kept, and comes back with them");
        return tellWhereItStands();
    }
    for (std::size_t index = taken.size(); index-- > 1;) earlier_->add(taken[index].found, taken[index].chosen);
    showFound(taken.front().found, taken.front().chosen);
}

/// A search has ended. What an earlier one has found stays to be chosen.
void SearchPanel::takeFound(const FoundPlans& found) {
    dropCutOff();
    if (former_.found) earlier_->add(*former_.found, former_.chosen);
    earlier_->dropAllIn(found);
    // The limit may be another one by now.
    showFound(found, limit() == found.limit ? 0 : firstChoice(found.choices, limit()));
}

void SearchPanel::showEarlier(std::size_t index) {
    if (busy() || !found_) return;
    const KeptFoundPlans earlier = earlier_->take(index);
    earlier_->add(*found_, chosen_);
    // What the link named.
    showFound(earlier.found, firstChoice(earlier.found.choices, limit()));
}

void SearchPanel::drawChoices() {
    chart_->clear();
    for (std::size_t index = 0; index < found_->choices.size(); ++index) {
        const FoundChoice& choice = found_->choices[index];
        chart_->add({static_cast<int>(index), choice.title, choice.step_ms, choice.peak_bytes, choice.name_rank,
                     choice.compared});
    }
    const auto differs = [this](const FoundChoice& choice) {
        return choice.shown_ms ? *choice.shown_ms != choice.step_ms : found_->links_differ;
    };
    showLinks(found_->links, std::ranges::any_of(found_->choices, differs));
    chart_->setBound(found_->bound);
}

std::optional<std::int64_t> SearchPanel::limit() const {
    return document_.isOpen() && controls_->obstacle().isEmpty() ? controls_->limitBytes() : std::nullopt;
}

bool SearchPanel::isWithinLimit(int choice) const {
    if (!found_) return false;
    const std::optional<std::int64_t> now = limit();
    return !now || found_->choices[static_cast<std::size_t>(choice)].peak_bytes <= *now;
}

/// The chart and its slider show the limit; the best plan that was found within it is chosen.
void SearchPanel::takeLimit() {
    // What a search did not find within another limit says nothing of this one.
    if (tried_limit_ && limit() != tried_limit_ && !remark_.isEmpty()) {
        remark_.clear();
        tellWhereItStands();
    }
    if (busy()) tellProgress();
    if (!found_) return describeEarlier();
    showLimit();
    choose(firstChoice(found_->choices, limit()));
}

void SearchPanel::showLimit() {
    // Not while that of a plan is still to be evaluated: when it is known, it is another one all the same.
    if (limit()) shown_limit_ = limit();
    chart_->setPeakLimit(limit());
    slider_->showLimit(limit());
    describeEarlier();
}

/// What was found before: also while a search runs, which has nothing to show yet.
void SearchPanel::describeEarlier() {
    if (found_)
        earlier_->describe(*found_, limit());
    else if (former_.found)
        earlier_->describeWithLast(*former_.found, links_, limit());
}

/// That no plan is within the limit, and what the chosen one is then.
QString SearchPanel::noneWithin(std::int64_t limit) const {
    const auto over = [&](int choice) {
        return bytes(found_->choices[static_cast<std::size_t>(choice)].peak_bytes - limit);
    };
    const int least = closestToLimit(found_->choices);
    // A later search may have tried a plan that comes closer, which it does not show.
    const bool before = tried_limit_ && tried_limit_ != found_->limit;
    QString text =
        (before ? tr("No plan that was found before stays within %1.")
                : tr("No plan that this search found stays within %1."))
            .arg(bytes(limit)) +
        u' ' +
        (over(chosen_) == over(least)
             ? (before ? tr("This one comes closest of those, and takes %1 more.")
                       : tr("This one comes closest, and takes %1 more."))
                   .arg(over(chosen_))
             : tr("This one takes %1 more, and the one that comes closest %2.").arg(over(chosen_), over(least)));
    if (!controls_->impossibility().isEmpty())
        text += u' ' + controls_->impossibility() + u'.';
    else if (tried_limit_ != limit)
        text += u' ' + tr("A search with this limit may find one that does.");
    return text;
}

/// What the limit says of what was found; empty where that is all there is to find within it.
QString SearchPanel::limitSentence() const {
    const std::optional<std::int64_t> now = limit();
    if (!now) return {};
    const bool any_within = bestWithin(found_->choices, now) >= 0;
    const std::int64_t over = found_->choices[static_cast<std::size_t>(chosen_)].peak_bytes - *now;
    if (any_within && over > 0)
        return tr("This plan takes %1 more than the limit of %2.").arg(bytes(over), bytes(*now));
    if (!any_within) return noneWithin(*now);
    // A limit beyond all that a search without it found would have kept nothing from it.
    const auto within = [&](const FoundChoice& choice) { return choice.peak_bytes <= *now; };
    const bool excludes_nothing = !found_->limit && std::ranges::all_of(found_->choices, within);
    if (now == found_->limit || excludes_nothing) return {};
    return tr("Within %1, of what was found; a search with this limit may find more.").arg(bytes(*now));
}

void SearchPanel::choose(int choice) {
    if (!found_ || choice < 0 || choice >= static_cast<int>(found_->choices.size())) return;
    const bool other = chosen_ != choice;
    chosen_ = choice;
    chart_->setChosen(choice);
    describeChoice();
    showParts();
    if (other) emit keptChanged();
}

/// What was found beside the plan that the search began at, as that is now.
FoundPlans SearchPanel::foundBeside() const {
    FoundPlans found = *found_;
    found.start = beside_;
    return found;
}

/// The plan that the search began at has been edited, evaluated, renamed or closed, or not.
void SearchPanel::takeStart() {
    if (!found_ && !busy()) return;
    const SearchStart former = beside_;
    drawStart();
    const bool same = beside_.title == former.title && beside_.plan == former.plan &&
                      beside_.step_ms == former.step_ms && beside_.refused == former.refused &&
                      beside_.counts == former.counts;
    if (same || !found_) return;
    tellWhereItStands();
    describeChoice();
}

void SearchPanel::describeChoice() {
    QStringList sentences = sentencesOn(foundBeside(), static_cast<std::size_t>(chosen_));
    for (const QString& more : {editedSentence(beside_), limitSentence()})
        if (!more.isEmpty()) sentences.prepend(more);
    sayResult(sentences.join(u' '));
}

void SearchPanel::showParts() {
    const FoundChoice& choice = found_->choices[static_cast<std::size_t>(chosen_)];
    if (choice.parts) return table_->showWorth(choice.title, *choice.parts);
    SearchOptions options;
    options.time_source = document_.baseline().time_source;
    options.any_order = found_->any_order;
    table_->weigh(choice.title, document_.graph(), choice.plan, std::move(options), found_->links);
}

QString SearchPanel::freeName(const QString& what) const {
    for (int number = 1;; ++number) {
        const QString name = number == 1 ? what : QStringLiteral("%1 %2").arg(what).arg(number);
        bool taken = false;
        for (int index = 0; index < document_.variantCount(); ++index)
            taken = taken || document_.variant(index).title() == name;
        if (!taken) return name;
    }
}

void SearchPanel::openBest() {
    if (!cut_off_ || !cut_off_->best || !document_.isOpen()) return;
    Plan plan = *cut_off_->best;
    const bool other_times = cutOffHasOtherTimes();
    plan.name = freeName(cut_off_->planName(other_times)).toStdString();
    plan.notes = foundNote(cut_off_->evaluations,
                           other_times ? tr("before it was cut off, with other times") : tr("before it was cut off"))
                     .toStdString();
    showPlan(std::move(plan));
    dropCutOff();
}

void SearchPanel::dropCutOff() {
    if (!std::exchange(cut_off_, std::nullopt)) return;
    emit keptChanged();
    emit cutOffDropped();
}

void SearchPanel::compare() {
    const int opened = document_.variantCount();
    const int after = open();
    if (document_.variantCount() > opened) {
        const int last = document_.indexOf(compared_.key);
        // Not the one that is compared with.
        const bool is_free = last > 0 && compared_.key != found_->start.key &&
                             document_.variant(last).plan() == compared_.plan &&
                             document_.variant(last).filePath().isEmpty();
        compared_ = {document_.variant(after).key(), document_.variant(after).plan()};
        if (is_free) document_.closeVariant(last);
    }
    const int before = document_.indexOf(found_->start.key);
    if (before < 0) {
        remark_ = tr("%1 was closed since; compared with the baseline").arg(found_->start.title);
        tellWhereItStands();
    }
    emit compareWanted(std::max(0, before), document_.currentIndex());
}

int SearchPanel::open() {
    const FoundChoice& choice = found_->choices[static_cast<std::size_t>(chosen_)];
    Plan plan = choice.plan;
    plan.name = freeName(openedName(choice)).toStdString();
    plan.notes = foundNote(found_->evaluations, tr("(%1): step %2, %3, peak %4")
                                                    .arg(choice.title, formatTime(toldStep(choice)),
                                                         aboveBound(choice.step_ms, choice.bound_ms, found_->any_order),
                                                         bytes(choice.peak_bytes)))
                     .toStdString();
    return showPlan(std::move(plan));
}

int SearchPanel::showPlan(Plan plan) {
    plan.graph = document_.loaded().empty_plan.graph;
    // Opened before, it is shown again.
    for (int index = 1; index < document_.variantCount(); ++index)
        if (does_the_same(document_.variant(index).plan(), plan)) {
            document_.setCurrentIndex(index);
            return index;
        }
    document_.addNew(std::move(plan));
    return document_.currentIndex();
}

}  // namespace overlap::ui
