#include "ui/search/search_panel.h"

#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QTreeView>
#include <algorithm>
#include <utility>

#include "core/pipeline/step_with_links_shared.h"
#include "core/simulate/device_memory.h"
#include "ui/document/document.h"
#include "ui/document/found_note.h"
#include "ui/search/front_chart.h"
#include "ui/search/limit_slider.h"
#include "ui/search/search_controls.h"
#include "ui/theme/links_shared.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"
#include "ui/widgets/availability.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/panel_layout.h"
#include "ui/widgets/table_delegate.h"

namespace overlap::ui {
namespace {

constexpr int worth_column = 1;
constexpr int narrowest_result = 200;

QString bytes(std::int64_t count) {
    return formatBytes(static_cast<double>(count));
}

}  // namespace

SearchPanel::SearchPanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      controls_(new SearchControls(document)),
      find_(new QPushButton),
      open_(new QPushButton(tr("Open as plan"))),
      compare_(new QPushButton(tr("Compare"))),
      caption_(new ElidedLabel),
      result_(new QLabel),
      chart_(new FrontChart(tr("Each point is a plan that was evaluated; a click chooses it"))),
      slider_(new LimitSlider(*chart_)),
      elements_(new QStandardItemModel(this)),
      table_(new QTreeView) {
    setObjectName("search");
    setAccessibleName(tr("Search"));
    auto* split = new QSplitter(Qt::Horizontal);
    split->setChildrenCollapsible(false);
    split->addWidget(makeFront());
    split->addWidget(makeResult());
    split->setStretchFactor(0, 1);
    split->setStretchFactor(1, 1);
    layOutPanel(this, makeBar(), split);
    // A search, its bound, and the plan that it began at share links, whether the figures elsewhere do or not.
    chart_->setStepsText(tr("steps %1").arg(linksSharedLabel()));
    setFocusProxy(find_);
    split->setFocusPolicy(Qt::NoFocus);
    chart_->setObjectName("frontChart");
    chart_->setAccessibleName(tr("Step against peak memory of the plans that were found"));
    connect(chart_, &StepPeakChart::chosen, this, &SearchPanel::choose);
    connect(chart_, &FrontChart::limitDragged, slider_, &LimitSlider::drag);
    connect(slider_, &LimitSlider::limitChosen, controls_, &SearchControls::setLimit);
    connect(&task_, &PlanSearchTask::progressed, this, &SearchPanel::showProgress);
    connect(&task_, &PlanSearchTask::found, this, &SearchPanel::showFound);
    connect(&task_, &PlanSearchTask::failed, this, [this](const QString& reason) {
        const bool former = former_.found != nullptr;
        if (former) showFormer();
        say(former ? tr("Nothing new was found: %1. What was found before stays").arg(reason)
                   : tr("Nothing was found: %1").arg(reason));
        if (former) {
            result_->setText(caption() + QStringLiteral("\n\n") + result_->text());
        } else {
            result_->setText(caption());
        }
        update();
    });
    // Other times, or another cost model, make other figures.
    for (const auto signal : {&Document::graphChanged, &Document::timesChanged})
        connect(&document, signal, this, &SearchPanel::forget);
    for (const auto signal : {&Document::evaluationChanged, &Document::currentChanged})
        connect(&document, signal, this, &SearchPanel::update);
    forget();
}

QWidget* SearchPanel::makeBar() {
    auto* bar = new QWidget;
    auto* layout = barLayout(bar);
    connect(controls_, &SearchControls::changed, this, [this] {
        update();
        takeLimit();
    });
    find_->setObjectName("findPlan");
    find_->setAccessibleName(tr("Find a better plan, or stop"));
    connect(find_, &QPushButton::clicked, this, &SearchPanel::findOrFinish);
    caption_->setProperty("role", "dim");
    layout->addWidget(controls_);
    layout->addWidget(find_);
    layout->addWidget(caption_, 1);
    return bar;
}

QWidget* SearchPanel::makeFront() {
    auto* front = new QWidget;
    auto* layout = new QVBoxLayout(front);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);  // the slider is under the chart's axis
    layout->addWidget(chart_, 1);
    layout->addWidget(slider_);
    return front;
}

QWidget* SearchPanel::makeResult() {
    auto* side = new QWidget;
    auto* layout = new QVBoxLayout(side);
    layout->setContentsMargins(8, 4, 8, 4);
    layout->setSpacing(6);
    result_->setWordWrap(true);
    result_->setTextFormat(Qt::PlainText);
    result_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    result_->setAccessibleName(tr("What was found"));
    auto* buttons = new QHBoxLayout;
    for (QPushButton* button : {open_, compare_}) button->setAccessibleName(button->text());
    buttons->addWidget(open_);
    buttons->addWidget(compare_);
    buttons->addStretch(1);
    table_->setModel(elements_);
    table_->setItemDelegate(new TableDelegate(table_));
    table_->setAccessibleName(tr("What the parts of the best plan are worth"));
    table_->setRootIsDecorated(false);
    table_->setUniformRowHeights(true);
    table_->setFrameShape(QFrame::NoFrame);
    table_->setMinimumHeight(48);
    table_->header()->setSectionsMovable(false);
    layout->addWidget(result_);
    layout->addLayout(buttons);
    layout->addWidget(table_, 1);
    layout->addStretch();  // while there is no table, sentences and buttons stay together
    // Where there is little height it scrolls.
    auto* area = new QScrollArea;
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setFocusPolicy(Qt::NoFocus);
    area->setMinimumWidth(narrowest_result);
    area->setWidget(side);
    connect(open_, &QPushButton::clicked, this, &SearchPanel::open);
    connect(compare_, &QPushButton::clicked, this, [this] {
        const int after = open(), before = document_.indexOf(start_.key);
        if (before < 0) say(tr("%1 was closed since; compared with the baseline").arg(start_.title));
        emit compareWanted(std::max(0, before), after);
    });
    return area;
}

QString SearchPanel::caption() const {
    return caption_->text();
}

QString SearchPanel::result() const {
    return result_->text();
}

void SearchPanel::say(const QString& sentence) {
    caption_->setText(shownName(sentence));
    caption_->setToolTip(caption_->text());
}

QString SearchPanel::obstacle() const {
    if (!document_.isOpen()) return tr("Open a graph to find plans for it");
    const auto evaluation = document_.evaluation();
    if (!evaluation) return tr("The plan is being evaluated");
    if (!evaluation->times_known) return tr("Without times nothing can be compared; choose a cost model");
    if (evaluation->time_source && evaluation->time_source->measured())
        return tr("Measured times are those of one plan; use the graph's times to find another");
    return controls_->obstacle();
}

void SearchPanel::update() {
    const QString why = obstacle();
    find_->setText(busy() ? tr("Stop, keep the best") : tr("Find a better plan"));
    setAvailable(*find_, busy() ? QString() : why);
    if (!busy() && !found_ && (!why.isEmpty() || waiting_)) say(why);
    waiting_ = !why.isEmpty();
    controls_->update();
    introduce();
    const QString none = choices_.empty() ? tr("Nothing was found yet") : QString();
    setAvailable(*open_, none);
    setAvailable(*compare_, none);
}

void SearchPanel::forget() {
    task_.cancel();
    found_.reset();
    former_ = {};
    choices_.clear();
    trail_.clear();
    chart_->clear();
    chart_->setCurrent(std::nullopt);
    chart_->setPeakLimit(std::nullopt);
    slider_->hide();
    chart_->setNote(tr("Plans that are found are drawn here, step against peak memory"));
    chart_->setDeviceMemory(document_.isOpen() ? device_memory_bytes(*document_.graph()) : 0);
    elements_->clear();
    table_->hide();
    elements_->setHorizontalHeaderLabels({tr("Part of the best plan"), tr("Worth")});
    table_->header()->setStretchLastSection(false);
    table_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    table_->header()->setSectionResizeMode(worth_column, QHeaderView::ResizeToContents);
    introduced_.clear();
    result_->clear();
    say({});
    update();
}

/// While nothing was found: what a search does, and which of two steps of the shown plan it compares with.
void SearchPanel::introduce() {
    if (busy() || found_ || result_->text() != introduced_) return;
    introduced_ =
        tr("Evaluates plans with the exact passes, and says how far the best is from the best there can "
           "be. You can go on working meanwhile.");
    const auto evaluation = document_.evaluation();
    if (evaluation && !evaluation->refused && evaluation->on_shared_links)
        introduced_ += tr(" Plans are compared by their step with links shared, which a job can reach: %1 of %2, which "
                          "is %3 where each process group has a link of its own.")
                           .arg(formatTime(evaluation->on_shared_links->step_ms),
                                shownName(document_.current()->title()), formatTime(evaluation->simulation.step_ms));
    result_->setText(introduced_);
}

void SearchPanel::findOrFinish() {
    if (busy()) return task_.finishNow();
    if (obstacle().isEmpty()) begin();
}

void SearchPanel::beginIfNew() {
    if (!busy() && !found_) findOrFinish();
}

void SearchPanel::begin() {
    const auto evaluation = document_.evaluation();
    SearchOptions options;
    options.memory_limit = controls_->limitBytes();
    options.effort = controls_->plans();
    options.time_source = evaluation->time_source;
    if (controls_->startsFromCurrent()) options.from = document_.current()->plan();
    options.locks = controls_->locks();
    Former former{start_, found_, chosen_};
    forget();
    former_ = std::move(former);
    start_ = {document_.current()->key(), document_.current()->title(), step_with_links_shared(*evaluation),
              evaluation->corrected_memory.peak_bytes,
              document_.editable() ? std::optional(document_.current()->plan()) : std::nullopt};
    chart_->setCurrent(StepPeakChart::Point{-1, start_.title, start_.step_ms, start_.peak_bytes});
    chart_->setNote({});
    task_.start(document_.graph(), std::move(options), start_.plan);
    say(tr("Presets, the automatic pass and buckets of blocks are evaluated first"));
    update();
}

void SearchPanel::showProgress(const SearchProgress& progress) {
    QString text = tr("%1 of %2 plans").arg(progress.evaluations).arg(progress.effort);
    if (progress.best_ms > 0) {
        text += tr(" · best %1, %2 (%3)")
                    .arg(formatTime(progress.best_ms), aboveBound(progress.best_ms, progress.bound_ms),
                         QString::fromStdString(progress.origin));
        drawTrail(progress);
    }
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

void SearchPanel::showFound(const std::shared_ptr<const FoundPlans>& found) {
    found_ = found;
    former_ = {};
    const SearchResult& result = found->result;
    choices_ = choicesOf(*found);
    if (found->start_ms) start_.step_ms = *found->start_ms;
    chart_->setCurrent(StepPeakChart::Point{-1, start_.title, start_.step_ms, start_.peak_bytes});
    for (const PlanElement& element : result.elements) {
        auto* name = new QStandardItem(shownName(QString::fromStdString(element.element)));
        auto* worth = new QStandardItem(formatTime(element.worth_ms));
        worth->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        for (QStandardItem* item : {name, worth}) item->setEditable(false);
        elements_->appendRow({name, worth});
    }
    table_->setVisible(elements_->rowCount() > 0);
    drawChoices();
    std::vector<std::int64_t> peaks;
    for (const FrontPoint& point : result.front) peaks.push_back(point.peak_bytes);
    slider_->setVisible(peaks.size() > 1);
    if (peaks.size() > 1) slider_->setPeaks(std::move(peaks));
    // Of plans that are alike the one in fewest words is taken; progress told the step of the fastest.
    const QString in_more_words =
        result.shortest_ms < result.best.step_ms
            ? tr("; the shortest step, %1, takes a plan in more words").arg(formatTime(result.shortest_ms))
            : QString();
    say(tr("%1 plans evaluated%2; the best comes from: %3%4")
            .arg(result.evaluations)
            .arg(result.stopped ? tr(", then stopped") : QString(), QString::fromStdString(result.best.origin),
                 in_more_words));
    showLimit();
    choose(0);
    update();
}

void SearchPanel::showFormer() {
    const Former former = std::exchange(former_, {});
    start_ = former.start;
    showFound(former.found);
    choose(former.chosen);
}

void SearchPanel::drawChoices() {
    chart_->clear();
    for (std::size_t index = 0; index < choices_.size(); ++index) {
        const FoundChoice& choice = choices_[index];
        chart_->add({static_cast<int>(index), choice.title, choice.step_ms, choice.peak_bytes, choice.name_rank});
    }
    std::vector<StepPeakChart::Limit> bound;
    for (const FrontPoint& point : found_->result.front)
        if (point.bound_ms > 0) bound.push_back({point.limit_bytes, point.bound_ms});
    if (bound.empty()) bound.push_back({found_->result.best.corrected_peak_bytes, found_->result.bound.step_ms});
    chart_->setBound(std::move(bound));
}

std::optional<std::int64_t> SearchPanel::limit() const {
    return controls_->obstacle().isEmpty() && document_.evaluation() ? controls_->limitBytes() : std::nullopt;
}

/// The chart and its slider show the limit; the best plan that was found within it is chosen.
void SearchPanel::takeLimit() {
    if (!found_) return;
    showLimit();
    if (const int best = bestWithin(choices_, limit()); best >= 0) return choose(best);
    describeChoice();
}

void SearchPanel::showLimit() {
    chart_->setPeakLimit(limit());
    slider_->showLimit(limit());
}

/// What the limit says of what was found; empty where that is all there is to find within it.
QString SearchPanel::limitSentence() const {
    const std::optional<std::int64_t> now = limit();
    if (!now || now == found_->limit) return {};
    if (bestWithin(choices_, now) < 0)
        return tr("No plan that was found stays within %1; a search with this limit may find one.").arg(bytes(*now));
    return tr("Within %1, of what was found; a search with this limit may find more.").arg(bytes(*now));
}

void SearchPanel::choose(int choice) {
    if (choice < 0 || choice >= static_cast<int>(choices_.size())) return;
    chosen_ = choice;
    chart_->setChosen(choice);
    describeChoice();
}

void SearchPanel::describeChoice() {
    const FoundChoice& choice = choices_[static_cast<std::size_t>(chosen_)];
    QStringList sentences = sentencesOn(*found_, start_, choice, chosen_ == 0);
    if (const QString more = limitSentence(); !more.isEmpty()) sentences.prepend(more);
    result_->setText(sentences.join(u' '));
}

/// `Found`, `Found 2`, …
QString SearchPanel::freeName() const {
    for (int number = 1;; ++number) {
        const QString name = number == 1 ? tr("Found") : tr("Found %1").arg(number);
        bool taken = false;
        for (int index = 0; index < document_.variantCount(); ++index)
            taken = taken || document_.variant(index).title() == name;
        if (!taken) return name;
    }
}

int SearchPanel::open() {
    const FoundChoice& choice = choices_[static_cast<std::size_t>(chosen_)];
    Plan plan = choice.plan;
    plan.name = freeName().toStdString();
    plan.graph = document_.loaded().empty_plan.graph;
    plan.notes = foundNote(found_->result.evaluations,
                           tr("(%1): step %2, %3, peak %4")
                               .arg(choice.title, formatTime(choice.step_ms),
                                    aboveBound(choice.step_ms, choice.bound_ms), bytes(choice.peak_bytes)))
                     .toStdString();
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
