#include "ui/mesh/ranks/rank_stage.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/mesh/ranks/rank_canvas.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/widgets/availability.h"
#include "ui/widgets/bar_sentence.h"
#include "ui/widgets/flat_button.h"

namespace overlap::ui {
namespace {

constexpr int animation_ms = 450;
constexpr int pause_ms = 350;

QLabel* sentenceLabel(const char* role) {
    auto* label = new QLabel;
    label->setProperty("role", role);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setContentsMargins(12, 0, 12, 2);
    return label;
}

}  // namespace

RankStage::RankStage(QWidget* parent)
    : QWidget(parent),
      canvas_(new RankCanvas),
      sentence_(new BarSentence(tr("The step"), this)),
      problem_(sentenceLabel("refusal")),
      rank_(sentenceLabel("dim")) {
    setObjectName("rankStage");
    problem_->setWordWrap(true);
    problem_->hide();
    rank_->setWordWrap(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeBar());
    layout->addWidget(sentence_->below());
    layout->addWidget(problem_);
    layout->addWidget(canvas_, 1);
    layout->addWidget(rank_);
    setFocusProxy(canvas_);
    pause_.setSingleShot(true);
    pause_.setInterval(pause_ms);
    connect(&pause_, &QTimer::timeout, this, &RankStage::goOn);
    connect(canvas_, &RankCanvas::finished, this, [this] {
        if (playing_) pause_.start();
    });
    connect(canvas_, &RankCanvas::rankChanged, this, &RankStage::updateBar);
    updateBar();
}

QWidget* RankStage::makeBar() {
    auto* bar = new QWidget;
    bar->setObjectName("rankStageBar");
    back_ = flatButton(QStringLiteral("◀"), tr("Step back (Left)"));
    play_ = flatButton(tr("Play"), tr("Play the path step by step (Space)"));
    on_ = flatButton(QStringLiteral("▶"), tr("Step on (Right)"));
    axes_ = flatButton(QString(), tr("Tensor dimensions that are drawn"));
    axes_->setPopupMode(QToolButton::InstantPopup);
    axes_->setMenu(new QMenu(axes_));
    block_back_ = flatButton(QStringLiteral("‹"), tr("Ranks before these"));
    block_on_ = flatButton(QStringLiteral("›"), tr("Ranks after these"));
    animate_ = flatButton(tr("Animate"), tr("Move slices from one state to the next when a step is chosen"));
    animate_->setObjectName("animateSteps");
    animate_->setCheckable(true);
    connect(back_, &QToolButton::clicked, this, [this] { stepBy(-1); });
    connect(on_, &QToolButton::clicked, this, [this] { stepBy(1); });
    connect(play_, &QToolButton::clicked, this, [this] { playing_ ? stop() : play(); });
    connect(axes_->menu(), &QMenu::aboutToShow, this, &RankStage::fillAxesMenu);
    connect(block_back_, &QToolButton::clicked, this, [this] { canvas_->setBlock(canvas_->block() - 1); });
    connect(block_on_, &QToolButton::clicked, this, [this] { canvas_->setBlock(canvas_->block() + 1); });
    connect(animate_, &QToolButton::toggled, this, [this](bool animated) {
        animate_->setText(animated ? tr("✓ Animate") : tr("Animate"));
        emit animatedChanged();
    });
    animate_->setChecked(true);
    sentence_->below()->setContentsMargins(12, 0, 12, 2);
    const auto in_row = [](std::initializer_list<QToolButton*> buttons) {
        auto* row = new QWidget;
        auto* layout = new QHBoxLayout(row);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->setSpacing(2);
        for (QToolButton* button : buttons) layout->addWidget(button);
        row->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);  // the sentence has what is left
        return row;
    };
    steps_ = in_row({back_, play_, on_});
    choices_ = in_row({axes_, block_back_, block_on_, animate_});
    bar_ = new QGridLayout(bar);
    bar_->setContentsMargins(8, 2, 8, 2);
    bar_->setHorizontalSpacing(8);
    bar_->setVerticalSpacing(0);
    bar_->setColumnStretch(1, 1);
    bar_->addWidget(steps_, 0, 0);
    bar_->addWidget(sentence_->beside(), 0, 1);
    bar_->addWidget(choices_, 0, 2);
    return bar;
}

/// What is drawn is chosen below the steps where both do not fit beside one another.
void RankStage::arrangeBar() {
    const int margins = bar_->contentsMargins().left() + bar_->contentsMargins().right();
    const int steps = steps_->sizeHint().width(), choices = choices_->sizeHint().width();
    const bool fits = steps + choices + 2 * bar_->horizontalSpacing() + margins <= width();
    bar_->parentWidget()->setMinimumWidth(std::max(steps, choices) + margins);
    bar_->removeWidget(choices_);
    fits ? bar_->addWidget(choices_, 0, 2) : bar_->addWidget(choices_, 1, 0, 1, 3, Qt::AlignLeft);
}

void RankStage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrangeBar();
}

bool RankStage::animated() const {
    return animate_->isChecked();
}

void RankStage::setAnimated(bool animated) {
    animate_->setChecked(animated);
}

void RankStage::show(std::shared_ptr<const PathComparison> comparison, std::size_t path, int step, bool moving) {
    const ComparedPath& compared = comparison->paths[path];
    if (!compared.plan) return clear();
    comparison_ = std::move(comparison);
    path_ = path;
    step_ = step;
    const std::size_t last = compared.plan->states.size() - 1;
    step < 0 ? canvas_->show(comparison_, &*compared.plan, 0, last)
             : canvas_->show(comparison_, &*compared.plan, static_cast<std::size_t>(step),
                             static_cast<std::size_t>(step) + 1);
    if (moving) canvas_->animate(animated() ? animation_ms : 0);
    updateBar();
}

void RankStage::clear() {
    stop();
    comparison_.reset();
    step_ = -1;
    canvas_->clear();
    updateBar();
}

void RankStage::stepBy(int by) {
    if (!comparison_) return;
    const int steps = static_cast<int>(comparison_->paths[path_].steps.size());
    stop();
    const int to = std::clamp(step_ + by, -1, steps - 1);
    if (to != step_) emit stepWanted(to);
}

void RankStage::play() {
    if (!comparison_ || comparison_->paths[path_].steps.empty()) return;
    playing_ = true;
    const int last = static_cast<int>(comparison_->paths[path_].steps.size()) - 1;
    step_ = step_ >= last ? -1 : step_;
    goOn();
    updateBar();
}

void RankStage::goOn() {
    if (!playing_ || !comparison_) return;
    const int last = static_cast<int>(comparison_->paths[path_].steps.size()) - 1;
    if (step_ >= last) return stop();
    emit stepWanted(step_ + 1);
}

void RankStage::stop() {
    playing_ = false;
    pause_.stop();
    updateBar();
}

void RankStage::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Left) return stepBy(-1);
    if (event->key() == Qt::Key_Right) return stepBy(1);
    if (event->key() == Qt::Key_Space) return playing_ ? stop() : play();
    QWidget::keyPressEvent(event);
}

QString RankStage::stepSentence() const {
    if (!comparison_) return {};
    const ComparedPath& path = comparison_->paths[path_];
    const CostModel& model = comparison_->question.costs;
    if (path.steps.empty()) return tr("%1: nothing to do").arg(path.title);
    if (step_ < 0) return tr("%1, all steps: %2").arg(path.title, formatCost(model, path.cost));
    const auto index = static_cast<std::size_t>(step_);
    const RedistributionStep& step = path.plan->steps[index];
    std::int64_t ranks = 1;
    for (const int dim : step.mesh_dims) ranks *= comparison_->question.mesh.shape[static_cast<std::size_t>(dim)];
    const QString text =
        tr("%1/%2  %3").arg(step_ + 1).arg(path.steps.size()).arg(stepTitle(step, comparison_->question.mesh));
    if (!communicates(step.kind)) return text + tr(" · nothing is sent");
    return text + tr(" · groups of %1 · %2 · %3")
                      .arg(formatCount(ranks), formatBytes(static_cast<double>(path.steps[index].sent_bytes)),
                           formatCost(model, path.steps[index].cost));
}

void RankStage::updateBar() {
    const int steps = comparison_ ? static_cast<int>(comparison_->paths[path_].steps.size()) : 0;
    const QString none = comparison_ ? tr("Nothing is to be done: the path has no steps") : tr("No path is shown yet");
    setAvailable(*back_, steps == 0 ? none : step_ >= 0 ? QString() : tr("No step is shown: nothing is before it"));
    setAvailable(*on_, steps == 0 ? none : step_ < steps - 1 ? QString() : tr("This is the last step"));
    setAvailable(*play_, steps == 0 ? none : QString());
    play_->setText(playing_ ? tr("Stop") : tr("Play"));
    sentence_->setText(stepSentence());
    QString problem;
    if (comparison_ && step_ >= 0) {
        const ComparedStep& step = comparison_->paths[path_].steps[static_cast<std::size_t>(step_)];
        problem = step.problem.isEmpty() ? step.needs : step.problem;
        problem_->setProperty("role", step.problem.isEmpty() ? "caution" : "refusal");
        problem_->setStyleSheet(problem_->styleSheet());  // the role may be another one
    }
    problem_->setText(shownLines(problem));
    problem_->setVisible(!problem.isEmpty());
    const PictureAxes& axes = canvas_->axes();
    axes_->setVisible(comparison_ && comparison_->question.tensor.dims() > 1);
    if (axes.columns)
        axes_->setText(axes.rows ? tr("dims %1 × %2 ▾").arg(*axes.rows).arg(*axes.columns)
                                 : tr("dim %1 ▾").arg(*axes.columns));
    const bool blocks = comparison_ && canvas_->blocks() > 1;
    block_back_->setVisible(blocks);
    block_on_->setVisible(blocks);
    setAvailable(*block_back_, blocks && canvas_->block() > 0 ? QString() : tr("These are the first ranks"));
    setAvailable(*block_on_,
                 blocks && canvas_->block() + 1 < canvas_->blocks() ? QString() : tr("These are the last ranks"));
    arrangeBar();
    QStringList lines;
    if (const QString block = canvas_->blockSentence(); !block.isEmpty()) lines.append(tr("Drawn: %1").arg(block));
    if (comparison_ && comparison_->question.tensor.dims() > 2)
        lines.append(tr("Other tensor dimensions are not drawn; the ranges of a rank list them"));
    const QString rank = canvas_->rankText();
    lines.append(!rank.isEmpty() ? rank : tr("Point at a rank, or choose one with Up and Down, for its exact ranges"));
    rank_->setText(comparison_ ? shownLines(lines.join(u'\n')) : QString());
}

void RankStage::fillAxesMenu() {
    QMenu* menu = axes_->menu();
    menu->clear();
    if (!comparison_) return;
    const int dims = comparison_->question.tensor.dims();
    const auto add = [&](const PictureAxes& axes, const QString& text) {
        QAction* action = menu->addAction(text, this, [this, axes] {
            canvas_->setAxes(axes);
            updateBar();
        });
        action->setCheckable(true);
        action->setChecked(axes == canvas_->axes());
    };
    for (int rows = 0; rows < dims; ++rows)
        for (int columns = rows + 1; columns < dims; ++columns)
            add({rows, columns}, tr("Dimensions %1 and %2").arg(rows).arg(columns));
    for (int dim = 0; dim < dims; ++dim) add({std::nullopt, dim}, tr("Dimension %1 alone").arg(dim));
}

}  // namespace overlap::ui
