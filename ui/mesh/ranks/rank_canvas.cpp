#include "ui/mesh/ranks/rank_canvas.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "core/mesh/sharding_text.h"
#include "ui/mesh/answers/mesh_inputs.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"
#include "ui/theme/tool_tip_lines.h"

namespace overlap::ui {
namespace {

constexpr int margin = 12;
constexpr int caption_height = 36;
constexpr int arrow_width = 36;
constexpr int least_state_width = 100;  ///< of a state's text; what mesh dimensions run where gives way to it

}  // namespace

RankCanvas::RankCanvas(QWidget* parent) : QWidget(parent) {
    setObjectName("rankCanvas");
    setAccessibleName(tr("Which rank holds what"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    animation_.setStartValue(0.0);
    animation_.setEndValue(1.0);
    animation_.setEasingCurve(QEasingCurve::InOutCubic);
    connect(&animation_, &QVariantAnimation::valueChanged, this, qOverload<>(&QWidget::update));
    connect(&animation_, &QVariantAnimation::finished, this, &RankCanvas::finished);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, qOverload<>(&QWidget::update));
}

void RankCanvas::show(std::shared_ptr<const PathComparison> comparison, const RedistributionPlan* plan,
                      std::size_t from, std::size_t to) {
    const bool other_tensor =
        !comparison_ || comparison_->question.tensor.shape.size() != comparison->question.tensor.shape.size();
    animation_.stop();
    comparison_ = std::move(comparison);
    plan_ = plan;
    before_.state = from;
    after_.state = to;
    if (other_tensor) axes_ = usualAxes(plan->states, comparison_->question.tensor.dims());
    rebuild();
}

void RankCanvas::clear() {
    animation_.stop();
    comparison_.reset();
    plan_ = nullptr;
    hovered_ = chosen_ = -1;
    emit rankChanged();
    update();
}

void RankCanvas::animate(int duration_ms) {
    if (!plan_) return;
    animation_.stop();
    if (duration_ms <= 0) return emit finished();
    animation_.setDuration(duration_ms);
    animation_.start();
}

void RankCanvas::setBlock(std::int64_t block) {
    wanted_block_ = block;
    if (plan_) rebuild();
}

void RankCanvas::setAxes(const PictureAxes& axes) {
    axes_ = axes;
    if (plan_) rebuild();
}

void RankCanvas::rebuild() {
    const PathQuestion& question = comparison_->question;
    block_ = rankBlock(question.mesh, wanted_block_);
    // Hues are those of the whole path, so that a slice that stays keeps its own.
    SliceHues hues;
    for (std::size_t state = 0; state < plan_->states.size(); ++state) {
        std::vector<RankSlice> slices = rankSlices(plan_->states[state], question.mesh, question.tensor, block_, hues);
        if (state == before_.state) before_.slices = slices;
        if (state == after_.state) after_.slices = std::move(slices);
    }
    const auto ranks = static_cast<int>(block_.ranks());
    if (hovered_ >= ranks) hovered_ = -1;
    if (chosen_ >= ranks) chosen_ = -1;
    layOut();
    emit rankChanged();
    update();
}

void RankCanvas::layOut() {
    if (!plan_) return;
    const bool one = before_.state == after_.state;
    const QRect inside = rect().adjusted(margin, 4, -margin, -4);
    const int side_width = one ? inside.width() : (inside.width() - arrow_width) / 2;
    before_.area = QRect(inside.topLeft(), QSize(side_width, inside.height()));
    after_.area = before_.area.translated(one ? 0 : side_width + arrow_width, 0);
    const double aspect = miniatureAspect(comparison_->question.tensor.shape, axes_);
    for (Side* side : {&before_, &after_})
        side->grid = layOutRanks(block_, side->area.adjusted(0, caption_height, 0, -2), aspect);
}

void RankCanvas::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    layOut();
}

int RankCanvas::rankAt(const QPoint& position) const {
    if (!plan_) return -1;
    for (const Side* side : {&before_, &after_})
        for (std::size_t rank = 0; rank < side->grid.cells.size(); ++rank)
            if (side->grid.cells[rank].contains(position)) return static_cast<int>(rank);
    return -1;
}

bool RankCanvas::inGroup(int first, int second) const {
    if (after_.state != before_.state + 1) return false;
    const DeviceMesh& mesh = comparison_->question.mesh;
    const Extents a = mesh.coordinate(block_.first_rank + first), b = mesh.coordinate(block_.first_rank + second);
    const std::vector<int>& dims = plan_->steps[before_.state].mesh_dims;
    for (int dim = 0; dim < mesh.dims(); ++dim) {
        const auto m = static_cast<std::size_t>(dim);
        if (a[m] != b[m] && std::ranges::find(dims, dim) == dims.end()) return false;
    }
    return true;
}

QString RankCanvas::rankText() const {
    const int rank = told();
    if (!plan_ || rank < 0) return {};
    const PathQuestion& question = comparison_->question;
    const auto text = [&](const Side& side) {
        return sliceText(side.slices[static_cast<std::size_t>(rank)], plan_->states[side.state], question.mesh,
                         question.tensor);
    };
    if (before_.state == after_.state) return text(after_);
    return tr("before: %1\nafter: %2").arg(text(before_), text(after_));
}

QString RankCanvas::blockSentence() const {
    if (!plan_) return {};
    return blockText(block_, comparison_->question.mesh, plan_->states[before_.state], plan_->states[after_.state]);
}

void RankCanvas::selectRank(std::int64_t rank) {
    chosen_ = static_cast<int>(std::clamp<std::int64_t>(rank - block_.first_rank, -1, block_.ranks() - 1));
    setAccessibleDescription(shownName(rankText()));
    emit rankChanged();
    update();
}

void RankCanvas::mouseMoveEvent(QMouseEvent* event) {
    const int rank = rankAt(event->position().toPoint());
    if (rank == hovered_) return;
    hovered_ = rank;
    showToolTip(event->globalPosition().toPoint(), rank < 0 ? QString() : rankText(), this);
    emit rankChanged();
    update();
}

void RankCanvas::mousePressEvent(QMouseEvent* event) {
    if (plan_) selectRank(block_.first_rank + rankAt(event->position().toPoint()));
}

void RankCanvas::leaveEvent(QEvent* event) {
    QWidget::leaveEvent(event);
    hovered_ = -1;
    emit rankChanged();
    update();
}

void RankCanvas::keyPressEvent(QKeyEvent* event) {
    // Left and right go through the steps, which is the view's to do.
    const int by = event->key() == Qt::Key_Down ? 1 : event->key() == Qt::Key_Up ? -1 : 0;
    if (!plan_ || by == 0) return QWidget::keyPressEvent(event);
    selectRank(block_.first_rank + std::clamp(chosen_ + by, 0, static_cast<int>(block_.ranks()) - 1));
}

QString RankCanvas::caption(const Side& side) const {
    std::int64_t largest = 0, smallest = -1;
    for (const RankSlice& slice : side.slices) {
        std::int64_t bytes = comparison_->question.tensor.element_bytes;
        for (const DimensionPart& part : slice.parts) bytes *= size_of(part);
        largest = std::max(largest, bytes);
        smallest = smallest < 0 ? bytes : std::min(smallest, bytes);
    }
    const QString most = formatBytes(static_cast<double>(largest));
    return smallest == largest ? tr("%1 a rank").arg(most)
                               : tr("%1 to %2 a rank").arg(formatBytes(static_cast<double>(smallest)), most);
}

void RankCanvas::paintSide(QPainter& painter, const Side& side, const std::vector<RankSlice>& from,
                           double progress) const {
    const Theme& theme = currentTheme();
    const PathQuestion& question = comparison_->question;
    const QString role = side.state == 0                          ? tr("Source")
                         : side.state + 1 == plan_->states.size() ? tr("Target")
                                                                  : tr("After step %1").arg(side.state);
    painter.setFont(textFont(smallTextPx));
    painter.setPen(theme.dim);
    const QRect first_line(side.area.left(), side.area.top(), side.area.width(), 16);
    painter.drawText(first_line, Qt::AlignLeft | Qt::AlignVCenter, role);
    painter.drawText(first_line, Qt::AlignRight | Qt::AlignVCenter, caption(side));
    const QRect second_line = first_line.translated(0, 16);
    const QString dims = shownName(gridText(side.grid, block_, question.mesh));
    int room = second_line.width() - painter.fontMetrics().horizontalAdvance(dims) - 8;
    if (room < least_state_width)
        room = second_line.width();  // hover shows coordinates
    else
        painter.drawText(second_line, Qt::AlignRight | Qt::AlignVCenter, dims);
    painter.setFont(codeFont(largeTextPx));
    painter.setPen(theme.text);
    const QString state = QString::fromStdString(to_text(plan_->states[side.state]));
    painter.drawText(second_line, Qt::AlignLeft | Qt::AlignVCenter,
                     elidedName(painter.fontMetrics(), state, Qt::ElideMiddle, room));
    for (std::size_t rank = 0; rank < side.grid.cells.size(); ++rank) {
        const QRectF& cell = side.grid.cells[rank];
        paintRank(painter, cell, side.grid.labelled, {from[rank], side.slices[rank], progress}, question.tensor.shape,
                  axes_, theme);
        const auto index = static_cast<int>(rank);
        if (told() < 0 || (index != told() && !inGroup(told(), index))) continue;
        painter.setPen(QPen(theme.accent, index == told() ? 2 : 1, index == told() ? Qt::SolidLine : Qt::DotLine));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(cell.adjusted(-2, -1, 2, 2));
    }
}

void RankCanvas::paintArrow(QPainter& painter) const {
    const QPointF tip((before_.area.right() + after_.area.left()) / 2.0 + 9,
                      before_.area.top() + caption_height / 2.0 + 6);
    painter.setPen(QPen(currentTheme().dim, 1.5));
    painter.drawLine(tip - QPointF(18, 0), tip);
    painter.drawLine(tip - QPointF(5, 4), tip);
    painter.drawLine(tip - QPointF(5, -4), tip);
}

void RankCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), currentTheme().background);
    if (!plan_) return;
    painter.setRenderHint(QPainter::Antialiasing);
    if (before_.state != after_.state) {
        paintSide(painter, before_, before_.slices, 1);
        paintArrow(painter);
    }
    paintSide(painter, after_, before_.slices, animating() ? animation_.currentValue().toDouble() : 1);
}

}  // namespace overlap::ui
