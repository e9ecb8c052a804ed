#include "ui/mesh/answer_column.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

#include "ui/mesh/mesh_area.h"
#include "ui/mesh/path_board.h"
#include "ui/mesh/ranks/rank_stage.h"
#include "ui/theme/harmless_text.h"
#include "ui/widgets/flat_button.h"

namespace overlap::ui {

AnswerColumn::AnswerColumn(QWidget* parent)
    : QWidget(parent),
      paths_(new PathBoard),
      stage_(new RankStage),
      paths_area_(scrolledPart(paths_, "meshPaths")),
      answers_(new QSplitter(Qt::Vertical)),
      note_(new QLabel),
      failure_(new QLabel),
      use_graphs_(flatButton(tr("Use the graph's"), tr("Take latency and bandwidth from the open graph"))),
      note_row_(makeCostNote()) {
    failure_->setProperty("role", "refusal");
    failure_->setWordWrap(true);
    failure_->setContentsMargins(12, 8, 12, 8);
    failure_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    failure_->hide();
    answers_->addWidget(paths_area_);
    answers_->addWidget(stage_);
    answers_->setChildrenCollapsible(false);
    answers_->setStretchFactor(0, 1);
    answers_->setStretchFactor(1, 2);
    answers_->setSizes({150, 170});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(note_row_);
    layout->addWidget(failure_);
    layout->addWidget(answers_, 1);
    connectParts();
}

QWidget* AnswerColumn::makeCostNote() {
    auto* row = new QWidget;
    note_->setObjectName("meshCostNote");
    note_->setProperty("role", "dim");
    note_->setWordWrap(true);
    use_graphs_->setObjectName("meshUseGraphCosts");
    use_graphs_->setFocusPolicy(Qt::StrongFocus);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(12, 4, 8, 3);
    layout->setSpacing(8);
    layout->addWidget(note_, 1);
    layout->addWidget(use_graphs_);
    row->hide();
    return row;
}

void AnswerColumn::connectParts() {
    connect(use_graphs_, &QToolButton::clicked, this, [this] {
        paths_->setFocus();  // the button hides
        emit graphCostsWanted();
    });
    connect(paths_, &PathBoard::selected, this, [this](std::size_t path, int step) {
        if (comparison_) stage_->show(comparison_, path, step, step >= 0);
        showChosenPath();
    });
    connect(stage_, &RankStage::stepWanted, this, [this](int step) {
        // Playing may come back to the step that is shown already.
        if (step == paths_->step()) stage_->show(comparison_, paths_->path(), step, true);
        paths_->select(paths_->path(), step);
    });
    connect(stage_, &RankStage::animatedChanged, this, &AnswerColumn::arranged);
    connect(answers_, &QSplitter::splitterMoved, this, &AnswerColumn::arranged);
}

void AnswerColumn::show(std::shared_ptr<const PathComparison> comparison, std::vector<double> reference) {
    comparison_ = std::move(comparison);
    failure_->hide();
    answers_->show();
    paths_->show(comparison_, std::move(reference));
    stage_->show(comparison_, paths_->path(), paths_->step(), false);
}

void AnswerColumn::fail(const QString& reason) {
    comparison_.reset();
    paths_->clear();
    stage_->clear();
    failure_->setText(shownLines(reason));
    failure_->show();
    answers_->hide();
}

void AnswerColumn::setCostNote(const QString& note, bool offered) {
    note_->setText(shownName(note));
    use_graphs_->setVisible(offered);
    note_row_->setVisible(!note.isEmpty());
}

void AnswerColumn::showChosenPath() {
    const QRect card = paths_->cardArea(paths_->path());
    paths_area_->ensureVisible(card.right(), card.bottom(), 0, 0);
    paths_area_->ensureVisible(card.left(), card.top(), 0, 0);  // of one that is too high, its cost
}

QByteArray AnswerColumn::saveState() const {
    return answers_->saveState();
}

void AnswerColumn::restoreState(const QByteArray& state) {
    answers_->restoreState(state);
}

}  // namespace overlap::ui
