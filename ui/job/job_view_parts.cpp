// What the job's view is made of.

#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QTabBar>
#include <QTreeView>
#include <QVBoxLayout>

#include "ui/job/job_controls.h"
#include "ui/job/job_view.h"
#include "ui/job/measured/measured_page.h"
#include "ui/job/step/job_step_view.h"
#include "ui/job/step/waiting_map.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/tab_overflow.h"

namespace overlap::ui {

QWidget* JobView::makeStart() {
    auto* start = new QWidget;
    auto* text = new QLabel(tr(
        "No job is open. A job is a training run of stages, microbatches and ranks: see who waits for whom, and what "
        "a plan of one stage is worth to all of them."));
    text->setWordWrap(true);
    text->setProperty("role", "dim");
    auto* open = new QPushButton(tr("Open job…"));
    auto* sample = new QPushButton(tr("Open sample job"));
    for (QPushButton* button : {open, sample}) button->setAccessibleName(button->text());
    connect(open, &QPushButton::clicked, this, &JobView::openWanted);
    connect(sample, &QPushButton::clicked, this, &JobView::sampleWanted);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    buttons->addWidget(open);
    buttons->addWidget(sample);
    buttons->addStretch(1);
    auto* layout = new QVBoxLayout(start);
    layout->setContentsMargins(16, 16, 16, 16);
    layout->setSpacing(12);
    layout->addWidget(text);
    layout->addLayout(buttons);
    layout->addStretch(1);
    return start;
}

QWidget* JobView::makeColumn() {
    auto* content = new QWidget;
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(controls_);
    layout->addWidget(stages_, 1);
    use_plan_->setObjectName("jobUsePlan");
    use_plan_->setAccessibleName(tr("Use the plan that is shown for the stage"));
    use_plan_->hide();
    auto* below = new QVBoxLayout;
    below->setContentsMargins(12, 4, 12, 6);
    below->addWidget(use_plan_);
    layout->addLayout(below);
    content->setMinimumWidth(least_column_width);
    return content;
}

QWidget* JobView::makePages() {
    summary_->setObjectName("jobSummary");
    problem_->setProperty("role", "refusal");
    problem_->setObjectName("jobProblem");
    problem_->setWordWrap(true);
    problem_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    problem_->setContentsMargins(12, 2, 12, 6);
    unrelated_->setObjectName("jobUnrelated");
    unrelated_->setProperty("role", "dim");
    unrelated_->setTextFormat(Qt::RichText);
    unrelated_->setWordWrap(true);
    unrelated_->setContentsMargins(12, 2, 12, 6);
    unrelated_->hide();
    connect(unrelated_, &QLabel::linkActivated, this,
            [this](const QString& stage) { emit stageWanted(stage.toInt()); });
    notes_->setObjectName("jobNotes");
    notes_->setProperty("role", "dim");
    notes_->setContentsMargins(12, 2, 12, 4);
    notes_->hide();
    narrow_ = new QWidget;
    auto* narrow = new QVBoxLayout(narrow_);
    narrow->setContentsMargins(0, 0, 0, 0);
    for (QWidget* page : std::initializer_list<QWidget*>{step_, waiting_, schedules_, narrow_, measured_, what_ifs_})
        pages_->addWidget(page);
    tabs_->setObjectName("jobTabs");
    tabs_->setAccessibleName(tr("Views of the job"));
    tabs_->setExpanding(false);
    tabs_->setElideMode(Qt::ElideNone);
    new TabOverflow(*tabs_, tr("All views of the job"));
    for (const QString& title : {tr("Step"), tr("Waiting"), tr("Schedules"), tr("Try"), tr("Measured"), tr("What if")})
        tabs_->addTab(title);
    auto* header = new QHBoxLayout(header_);
    header->setContentsMargins(0, 0, 0, 0);
    header->addWidget(summary_);
    auto* all = new QWidget;
    auto* layout = new QVBoxLayout(all);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(tabs_);
    layout->addWidget(problem_);
    layout->addWidget(unrelated_);
    layout->addWidget(notes_);
    layout->addWidget(pages_, 1);
    return all;
}

}  // namespace overlap::ui
