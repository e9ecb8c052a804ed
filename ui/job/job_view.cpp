#include "ui/job/job_view.h"

#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QResizeEvent>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QTreeView>
#include <QVBoxLayout>

#include "ui/job/job_controls.h"
#include "ui/job/measured/measured_page.h"
#include "ui/job/measured/measured_words.h"
#include "ui/job/step/job_step_view.h"
#include "ui/job/step/job_words.h"
#include "ui/job/step/waiting_map.h"
#include "ui/job/tables/job_table.h"
#include "ui/job/tables/schedules_model.h"
#include "ui/job/tables/stages_model.h"
#include "ui/job/tables/what_if_model.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/theme/tab_padding.h"
#include "ui/timeline/timeline_keys.h"
#include "ui/timeline/timeline_view.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/low_bar.h"
#include "ui/widgets/shared_columns.h"
#include "ui/widgets/tab_overflow.h"

namespace overlap::ui {
namespace {

/// Narrower, the column would leave too little to the pages.
constexpr int least_width_for_column = 760;
/// Of the column, until the user has another width: a part of the view's between these.
constexpr int first_column_percent = 30, narrow_column_width = 380, wide_column_width = 520;
constexpr int most_column_percent = 38;  ///< where the names of stages need more
constexpr int busy_after_ms = 200;       ///< it is said that figures are of before where evaluation takes this long

}  // namespace

JobView::JobView(OpenJob& job, QWidget* parent)
    : QWidget(parent),
      job_(job),
      controls_(new JobControls(job)),
      step_(new JobStepView(job)),
      waiting_(new WaitingMap),
      measured_(new MeasuredPage(job)),
      stages_model_(new StagesModel(job, this)),
      schedules_model_(new SchedulesModel(this)),
      what_if_model_(new WhatIfModel(this)),
      stages_(makeJobTable(tr("Stages of the job"), stages_model_)),
      schedules_(makeJobTable(tr("The job with each schedule"), schedules_model_)),
      what_ifs_(makeJobTable(tr("The job without each thing that makes it longer"), what_if_model_)),
      header_(new QWidget),
      summary_(new ElidedLabel),
      notes_(new ElidedLabel),
      problem_(new QLabel),
      unrelated_(new QLabel),
      use_plan_(new QPushButton),
      whole_(new QStackedWidget),
      pages_(new QStackedWidget),
      tabs_(new QTabBar),
      columns_(new QSplitter(Qt::Horizontal)) {
    setObjectName("jobView");
    stages_->setObjectName("jobStages");
    schedules_->setObjectName("jobSchedules");
    what_ifs_->setObjectName("jobWhatIfs");
    column_ = makeColumn();
    QWidget* pages = makePages();
    columns_->addWidget(column_);
    columns_->addWidget(pages);
    columns_->setStretchFactor(1, 1);
    columns_->setChildrenCollapsible(false);
    columns_->setHandleWidth(1);
    spanRowsWithoutFigures(*schedules_);
    what_ifs_->header()->setSectionResizeMode(WhatIfModel::without_column, QHeaderView::Stretch);
    stage_columns_ = new SharedColumns(*stages_, StagesModel::name_column, StagesModel::plan_column);
    connect(stage_columns_, &SharedColumns::widthsChanged, this, &JobView::stateChanged);
    whole_->addWidget(makeStart());
    whole_->addWidget(columns_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSizeConstraint(QLayout::SetNoConstraint);
    layout->addWidget(whole_);
    setFocusProxy(step_);

    connect(&job, &OpenJob::opened, this, &JobView::showJob);
    connect(&job, &OpenJob::evaluated, this, &JobView::fitColumnOnce);
    connect(&job, &OpenJob::evaluated, this, [this] {
        waiting_->show(job_.picture());
        if (job_.picture()) waiting_->setRange(step_->timeline().visibleRange());
        showSummary();
    });
    connect(&job, &OpenJob::changed, this, &JobView::showSummary);
    connect(&job, &OpenJob::changed, this, &JobView::arrange);
    impatience_.setSingleShot(true);
    impatience_.setInterval(busy_after_ms);
    connect(&impatience_, &QTimer::timeout, this, [this] {
        stale_ = job_.evaluating();
        showSummary();
    });
    connect(&job, &OpenJob::busyChanged, this, [this] {
        if (job_.evaluating()) return impatience_.isActive() ? void() : impatience_.start();
        impatience_.stop();
        stale_ = false;
        showSummary();
    });
    connect(&job, &OpenJob::compared, this, [this] {
        schedules_model_->setRows(job_.schedules(), job_.changes().schedule);
        what_if_model_->setRows(job_.comparison().what_ifs, job_.comparison().step_ms);
        showSummary();
    });
    connect(&job, &OpenJob::busyChanged, this, [this] {
        schedules_model_->setStale(job_.comparing());
        what_if_model_->setStale(job_.comparing());
    });
    connect(step_, &JobStepView::rangeChanged, waiting_, &WaitingMap::setRange);
    connect(step_, &JobStepView::stageWanted, this, &JobView::stageWanted);
    connect(step_, &JobStepView::refused, this, &JobView::refused);
    connect(controls_, &JobControls::refused, this, &JobView::refused);
    connect(waiting_, &WaitingMap::selected, step_, &JobStepView::select);
    connect(waiting_, &WaitingMap::activated, this, &JobView::showReference);
    connect(measured_, &MeasuredPage::activated, this, &JobView::showReference);
    connect(stages_, &QTreeView::clicked, this, [this](const QModelIndex& row) { emit stageWanted(row.row()); });
    connect(stages_, &QTreeView::activated, this, [this](const QModelIndex& row) { emit stageWanted(row.row()); });
    connect(schedules_, &QTreeView::activated, this, [this](const QModelIndex& row) {
        const job::ScheduleRow& chosen = schedules_model_->rows()[static_cast<std::size_t>(row.row())];
        controls_->chooseSchedule(chosen.is_own ? QString() : QString::fromStdString(chosen.name));
    });
    connect(use_plan_, &QPushButton::clicked, this, &JobView::planWanted);
    connect(tabs_, &QTabBar::currentChanged, pages_, &QStackedWidget::setCurrentIndex);
    connect(tabs_, &QTabBar::currentChanged, this, &JobView::stateChanged);
    connect(columns_, &QSplitter::splitterMoved, this, [this](int width) {
        column_width_ = width;
        emit stateChanged();
    });
    new TimelineKeys(step_->timeline(), *this, [this](const QKeyEvent& key) { return useKey(key); });
    showJob();
    arrange();
}

JobView::~JobView() {
    if (header_ && !header_->parentWidget()) delete header_;
}

void JobView::showJob() {
    texts_width_ = 0;
    whole_->setCurrentIndex(job_.isOpen() ? 1 : 0);
    setShownStage(-1);
    setUnrelatedGraph({});
    offerPlan({});
    waiting_->show(nullptr);
    arrange();
    showSummary();
}

QString JobView::summary() const {
    const auto figures = job_.figures();
    if (!figures) return job_.evaluating() ? tr("evaluating…") : QString();
    QStringList parts = figureTexts(*figures, job_.openedFigures());
    if (const QString measured = measuredStepText(*job_.picture()); !measured.isEmpty()) parts.append(measured);
    if (const auto& spread = job_.spread())
        parts.append(tr("of %1 half within %2, 99 % within %3")
                         .arg(spread->samples == 1 ? tr("1 draw") : tr("%1 draws").arg(spread->samples),
                              formatTime(spread->p50_ms), formatTime(spread->p99_ms)));
    const QString texts = parts.join(QStringLiteral(" · "));
    return stale_ ? tr("evaluating… %1").arg(texts) : texts;
}

void JobView::showSummary() {
    if (!header_) return;  // the window closes
    summary_->setText(summary());
    QStringList help{shownName(job_.name()), shownName(job_.file()), summary()};
    if (job_.picture()) {
        for (const std::string& note : job_.picture()->evaluation->result.notes)
            help.append(QString::fromStdString(note));
        help.append(tr("evaluated in %1").arg(formatTime(job_.evaluatedMs())));
    }
    summary_->setToolTip(shownLines(help.join(u'\n')));
    summary_->setAccessibleName(summary());
    const QString problem = job_.isOpen() ? problemText(job_) : QString();
    problem_->setText(shownLines(problem));
    problem_->setVisible(!problem.isEmpty());
    showNotes();
}

/// What is taken otherwise than the document says it comes first, what merely has to be known last.
void JobView::showNotes() {
    QStringList notes, known;
    if (job_.picture()) {
        for (const std::string& note : job_.picture()->evaluation->result.notes)
            (note.starts_with("topology") ? known : notes).append(QString::fromStdString(note));
    }
    // In a low window lanes are worth more than what is only to be known.
    if (!low_ && job_.isOpen()) notes += stage_notes_;
    if (!low_) notes += known;
    notes_->setText(notes.join(QStringLiteral(" · ")));
    notes_->setToolTip(shownLines(notes.join(u'\n')));
    notes_->setAccessibleName(notes_->text());
    notes_->setVisible(!notes.isEmpty());
}

void JobView::setStageNotes(const QStringList& notes) {
    if (notes == stage_notes_) return;
    stage_notes_ = notes;
    stages_model_->setNotes(notes);
    showNotes();
}

void JobView::setShownStage(int stage) {
    stages_model_->setShown(stage);
    if (stage >= 0) stages_->setCurrentIndex(stages_model_->index(stage, 0));
}

void JobView::setUnrelatedGraph(const QString& name, int stage) {
    const bool is_stages = stage >= 0;
    if (!is_stages) stage = 0;
    while (stage < job_.stageCount() && job_.graphOf(stage).isEmpty()) ++stage;
    const bool tells = !name.isEmpty() && stage < job_.stageCount();
    const QString sentence = is_stages ? tr("All other views show %1, the graph of stage %2, with plans that are not "
                                            "the job's. <a href=\"%2\">Open stage %2</a>")
                                       : tr("All other views show %1, no stage of this job. "
                                            "<a href=\"%2\">Open stage %2</a>");
    if (tells) unrelated_->setText(sentence.arg(shownName(name).toHtmlEscaped(), QString::number(stage)));
    unrelated_->setVisible(tells);
}

void JobView::offerPlan(const QString& text) {
    use_plan_->setText(shownInMenu(text));
    use_plan_->setVisible(!text.isEmpty());
}

void JobView::showReference(quint32 reference) {
    showPage(step_page);
    step_->select(reference);
    step_->setFocus();
}

void JobView::showPage(Page page) {
    if (page == controls_page && column_->parentWidget() != narrow_) return controls_->setFocus();
    tabs_->setCurrentIndex(page);
}

JobView::Page JobView::page() const {
    return static_cast<Page>(tabs_->currentIndex());
}

void JobView::arrange() {
    // Lanes are worth more than room around words.
    const bool low = height() < low_panel_height;
    if (low != low_) {
        low_ = low;
        tabs_->setStyleSheet(low ? QStringLiteral("QTabBar::tab { padding: 1px %1px; }"
                                                  "QTabBar[dense=\"true\"]::tab { padding: 1px %2px; }")
                                       .arg(usual_tab_padding.wide)
                                       .arg(usual_tab_padding.dense)
                                 : QString());
        tabs_->ensurePolished();
        tabs_->setFixedHeight(tabs_->sizeHint().height());
        showNotes();
    }
    const bool wide = width() >= least_width_for_column;
    const bool is_wide = column_->parentWidget() == columns_;
    // Programs have neither stages nor a schedule.
    showTab(*tabs_, controls_page, !wide && job_.hasStages());
    showTab(*tabs_, schedules_page, job_.hasStages());
    showTab(*tabs_, what_if_page, job_.hasStages());
    showTab(*tabs_, measured_page, job_.measured().job != nullptr);
    // A session may have left a page that has nothing to show any more.
    if (job_.isOpen() && page() == measured_page && !job_.measured().job && !job_.awaitsMeasured())
        tabs_->setCurrentIndex(step_page);
    if (is_wide) column_->setVisible(job_.hasStages());
    if (wide == is_wide) return column_width_ == 0 ? giveColumnItsWidth() : void();
    if (wide) {
        columns_->insertWidget(0, column_);
        columns_->setStretchFactor(0, 0);
        columns_->setStretchFactor(1, 1);
        giveColumnItsWidth();
    } else {
        narrow_->layout()->addWidget(column_);
    }
    column_->setVisible(!wide || job_.hasStages());
}

/// The column is as wide as its table wants to be. Once, so that figures of another length move nothing.
void JobView::fitColumnOnce() {
    if (texts_width_ > 0 || !job_.picture()) return;
    texts_width_ = stage_columns_->wholeWidth();
    if (column_width_ == 0) giveColumnItsWidth();
}

void JobView::giveColumnItsWidth() {
    const int most = width() * most_column_percent / 100;
    const int wanted = std::max(width() * first_column_percent / 100, std::min(texts_width_, most));
    const int usual = std::clamp(wanted, narrow_column_width, wide_column_width);
    const int column = column_width_ > 0 ? column_width_ : usual;
    if (column_->parentWidget() == columns_) columns_->setSizes({column, width() - column});
}

/// Of the timeline, from all pages. What a key leads to is seen: in the step, or on Waiting, which shows the same
/// range.
bool JobView::useKey(const QKeyEvent& event) {
    if (!job_.isOpen() || !step_->useKey(event)) return false;
    if (event.key() == Qt::Key_Escape) return true;  // what is let go is nowhere to be seen
    const bool leads = event.key() == Qt::Key_J || event.key() == Qt::Key_E;
    if (page() != step_page && (leads || page() != waiting_page)) showPage(step_page);
    return true;
}

void JobView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange();
}

QJsonObject JobView::state() const {
    QJsonObject state{{"page", tabs_->currentIndex()}, {"timeline", step_->timeline().edits().toJson()}};
    if (column_width_ > 0) state["column"] = column_width_;
    if (const QJsonArray widths = stage_columns_->widths(); !widths.isEmpty()) state["stage columns"] = widths;
    return state;
}

void JobView::restore(const QJsonObject& state) {
    tabs_->setCurrentIndex(std::clamp(state["page"].toInt(), 0, static_cast<int>(what_if_page)));
    column_width_ = state.contains("column") ? std::max(least_column_width, state["column"].toInt()) : 0;
    giveColumnItsWidth();
    stage_columns_->setWidths(state["stage columns"].toArray());
    step_->timeline().edits().restore(state["timeline"].toObject());
}

}  // namespace overlap::ui
