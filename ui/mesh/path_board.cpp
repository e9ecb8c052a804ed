#include "ui/mesh/path_board.h"

#include <QAccessible>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "core/mesh/sharding_text.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"
#include "ui/theme/tool_tip_lines.h"

namespace overlap::ui {
namespace {

constexpr int narrowest_card = 180;
constexpr int card_gap = 8;
constexpr int outer_margin = 8;
constexpr int padding = 8;
constexpr int head_height = 50;  ///< title, cost, bytes, bar
constexpr int step_height = 34;
constexpr int note_gap = 4;
constexpr int bar_height = 3;
constexpr int sign_width = 14;  ///< of a disc or a triangle before a sentence
constexpr int tallest_note = 10000;

QString bytesText(std::int64_t bytes) {
    return formatBytes(static_cast<double>(bytes));
}

}  // namespace

PathBoard::PathBoard(QWidget* parent) : QWidget(parent) {
    setObjectName("pathBoard");
    setAccessibleName(tr("Paths"));
    setFocusPolicy(Qt::StrongFocus);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, qOverload<>(&QWidget::update));
}

void PathBoard::show(std::shared_ptr<const PathComparison> comparison, std::vector<double> reference) {
    comparison_ = std::move(comparison);
    reference_ = std::move(reference);
    path_ = std::min(path_, comparison_->paths.size() - 1);
    step_ = std::min(step_, steps(path_) - 1);
    setMinimumHeight(minimumSizeHint().height());
    updateGeometry();
    update();
}

void PathBoard::clear() {
    comparison_.reset();
    update();
}

int PathBoard::steps(std::size_t path) const {
    return comparison_ ? static_cast<int>(comparison_->paths[path].steps.size()) : 0;
}

void PathBoard::select(std::size_t path, int step) {
    if (!comparison_) return;
    path = std::min(path, comparison_->paths.size() - 1);
    step = std::clamp(step, whole_path, steps(path) - 1);
    if (path == path_ && step == step_) return;
    path_ = path;
    step_ = step;
    setAccessibleDescription(shownName(describe()));
    QAccessibleEvent changed(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&changed);
    emit selected(path_, step_);
    update();
}

QString PathBoard::describe() const {
    const ComparedPath& path = comparison_->paths[path_];
    const CostModel& model = comparison_->question.costs;
    if (step_ < 0 || !path.plan)
        return tr("%1: %2, %3 sent. %4")
            .arg(path.title, formatCost(model, path.cost), bytesText(path.sent_bytes), path.problems.join(u' '));
    const auto index = static_cast<std::size_t>(step_);
    const ComparedStep& step = path.steps[index];
    return tr("%1, step %2 of %3: %4, %5, %6, %7. %8")
        .arg(path.title)
        .arg(step_ + 1)
        .arg(path.steps.size())
        .arg(stepTitle(path.plan->steps[index], comparison_->question.mesh), stepChange(path.plan->steps[index]),
             formatCost(model, step.cost), bytesText(step.sent_bytes), step.problem + step.needs);
}

std::vector<PathBoard::Note> PathBoard::notes(const ComparedPath& path) const {
    std::vector<Note> notes;
    for (const QString& problem : path.problems) notes.push_back({problem, Note::Kind::error});
    if (path.plan && path.steps.empty())
        notes.push_back({tr("Nothing to do: both states are the same."), Note::Kind::plain});
    for (std::size_t step = 0; step < path.steps.size(); ++step)
        if (!path.steps[step].needs.isEmpty())
            notes.push_back(
                {tr("Step %1: %2").arg(step + 1).arg(shownName(path.steps[step].needs)), Note::Kind::caution});
    if (!path.own_cost.isEmpty()) notes.push_back({tr("By its own costs: %1").arg(path.own_cost), Note::Kind::plain});
    return notes;
}

int PathBoard::cardsInRow() const {
    const int count = comparison_ ? static_cast<int>(comparison_->paths.size()) : 1;
    const int fit = std::clamp((width() - 2 * outer_margin + card_gap) / (narrowest_card + card_gap), 1, count);
    const int rows = (count + fit - 1) / fit;
    return (count + rows - 1) / rows;  // as even as can be
}

int PathBoard::rows() const {
    const int count = comparison_ ? static_cast<int>(comparison_->paths.size()) : 1;
    return (count + cardsInRow() - 1) / cardsInRow();
}

int PathBoard::cardWidth() const {
    const int beside = cardsInRow();
    return std::max(narrowest_card, (width() - 2 * outer_margin - (beside - 1) * card_gap) / beside);
}

int PathBoard::rowHeight(int row) const {
    const auto begin = static_cast<std::size_t>(row * cardsInRow());
    const std::size_t end = std::min(comparison_->paths.size(), begin + static_cast<std::size_t>(cardsInRow()));
    int tallest = 0;
    for (std::size_t path = begin; path < end; ++path)
        tallest = std::max(tallest, steps(path) * step_height + notesHeight(notes(comparison_->paths[path])));
    return head_height + tallest + 2 * padding;
}

int PathBoard::notesHeight(const std::vector<Note>& notes) const {
    const QFontMetrics metrics(textFont(smallTextPx));
    int height = 0;
    for (const Note& note : notes)
        height += note_gap + metrics
                                 .boundingRect(QRect(0, 0, cardWidth() - 2 * padding - sign_width, tallest_note),
                                               Qt::TextWordWrap, note.text)
                                 .height();
    return height;
}

QSize PathBoard::minimumSizeHint() const {
    if (!comparison_) return {narrowest_card, head_height};
    int height = 2 * outer_margin + (rows() - 1) * card_gap;
    for (int row = 0; row < rows(); ++row) height += rowHeight(row);
    return {2 * outer_margin + narrowest_card, height};
}

/// Rows share what is left of the height.
QRect PathBoard::cardArea(std::size_t path) const {
    const int wide = cardWidth(), row = static_cast<int>(path) / cardsInRow();
    const int left = static_cast<int>(path) % cardsInRow() * (wide + card_gap);
    const int more = std::max(0, height() - minimumSizeHint().height()) / rows();
    int top = outer_margin;
    for (int above = 0; above < row; ++above) top += rowHeight(above) + more + card_gap;
    return {outer_margin + left, top, wide, rowHeight(row) + more};
}

QRect PathBoard::stepArea(std::size_t path, int step) const {
    const QRect card = cardArea(path);
    return {card.left() + 4, card.top() + padding + head_height + step * step_height, card.width() - 8,
            step_height - 2};
}

void PathBoard::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    setMinimumHeight(minimumSizeHint().height());
}

bool PathBoard::hit(const QPoint& position, std::size_t& path, int& step) const {
    if (!comparison_) return false;
    for (path = 0; path < comparison_->paths.size(); ++path) {
        if (!cardArea(path).contains(position)) continue;
        for (step = steps(path) - 1; step > whole_path; --step)
            if (stepArea(path, step).contains(position)) break;
        return true;
    }
    return false;
}

void PathBoard::mousePressEvent(QMouseEvent* event) {
    std::size_t path = 0;
    int step = 0;
    if (hit(event->position().toPoint(), path, step)) select(path, step);
}

void PathBoard::keyPressEvent(QKeyEvent* event) {
    if (!comparison_) return QWidget::keyPressEvent(event);
    switch (event->key()) {
        case Qt::Key_Left:
            if (path_ > 0) select(path_ - 1, whole_path);
            return;
        case Qt::Key_Right:
            return select(path_ + 1, path_ + 1 < comparison_->paths.size() ? whole_path : step_);
        case Qt::Key_Up:
            return select(path_, step_ - 1);
        case Qt::Key_Down:
            return select(path_, step_ + 1);
        default:
            QWidget::keyPressEvent(event);
    }
}

void PathBoard::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    if (comparison_) setAccessibleDescription(shownName(describe()));
    update();
}

void PathBoard::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

bool PathBoard::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    auto* help = static_cast<QHelpEvent*>(event);
    std::size_t path = 0;
    int step = 0;
    if (!hit(help->pos(), path, step)) return true;
    QString text =
        tr("%1. A rank sends %2.").arg(comparison_->paths[path].help, bytesText(comparison_->paths[path].sent_bytes));
    if (step >= 0) {
        const auto index = static_cast<std::size_t>(step);
        const ComparedStep& compared = comparison_->paths[path].steps[index];
        const QStringList parts{stepChange(comparison_->paths[path].plan->steps[index]), compared.problem,
                                compared.needs};
        text = parts.filter(QStringLiteral(" ")).join(u'\n');
    }
    showToolTip(help->globalPos(), text, this);
    return true;
}

void PathBoard::paintFigures(QPainter& painter, std::size_t index, const QRect& inside) const {
    const Theme& theme = currentTheme();
    const ComparedPath& path = comparison_->paths[index];
    const CostModel& model = comparison_->question.costs;
    QRect line(inside.left(), inside.top(), inside.width(), 18);
    painter.setFont(textFont(largeTextPx, QFont::DemiBold));
    painter.setPen(theme.text);
    const QString cost = path.plan ? formatCost(model, path.cost) : tr("no path");
    painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, cost);
    painter.setFont(textFont(normalTextPx, QFont::DemiBold));
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, path.title);
    line.translate(0, 18);
    if (!path.plan) return;
    // Against what PyTorch runs or, while an edit is tried, against this path before it.
    const bool tried = index < reference_.size();
    const double other = tried ? reference_[index] : comparison_->paths[PathComparison::executed].cost;
    const double difference = path.cost - other;
    QString against;
    if (std::isfinite(difference) && (tried ? difference != 0 : index != PathComparison::executed))
        against = difference == 0       ? tr("equal")
                  : tried || other == 0 ? formatCostDifference(model, difference)
                                        : formatDifference(difference / other, Unit::Percent);
    painter.setFont(textFont(smallTextPx));
    painter.setPen(theme.asText(difference < 0 ? theme.hidden : difference > 0 ? theme.caution : theme.dim));
    painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, against);
    painter.setPen(theme.dim);
    const QString count = path.steps.size() == 1 ? tr("1 step") : tr("%1 steps").arg(path.steps.size());
    const int room = line.width() - painter.fontMetrics().horizontalAdvance(against) - 8;
    painter.drawText(
        line, Qt::AlignLeft | Qt::AlignVCenter,
        elidedName(painter.fontMetrics(), tr("%1 · %2").arg(bytesText(path.sent_bytes), count), Qt::ElideRight, room));
    double dearest = 0;
    for (const ComparedPath& any : comparison_->paths)
        if (any.plan && std::isfinite(any.cost)) dearest = std::max(dearest, any.cost);
    if (!std::isfinite(path.cost) || dearest == 0) return;
    const QRect bar(inside.left(), line.bottom() + 4, inside.width(), bar_height);
    painter.fillRect(bar, theme.line);
    painter.fillRect(QRectF(bar.left(), bar.top(), bar.width() * path.cost / dearest, bar_height),
                     path.cost <= comparison_->best().cost ? theme.hidden : theme.compute);
}

void PathBoard::paintStep(QPainter& painter, std::size_t path, int step) const {
    const Theme& theme = currentTheme();
    const auto index = static_cast<std::size_t>(step);
    const ComparedStep& compared = comparison_->paths[path].steps[index];
    const RedistributionStep& planned = comparison_->paths[path].plan->steps[index];
    const QRect area = stepArea(path, step);
    if (path == path_ && step == step_) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.selection());
        painter.drawRoundedRect(area, 4, 4);
    }
    const QRect first(area.left() + 4, area.top() + 1, area.width() - 8, 16);
    const QRect second = first.translated(0, 15);
    painter.setFont(numberFont(smallTextPx));
    const QString cost =
        communicates(planned.kind) ? formatCost(comparison_->question.costs, compared.cost) : tr("local");
    const int cost_width = painter.fontMetrics().horizontalAdvance(cost);
    painter.setPen(communicates(planned.kind) ? theme.text : theme.asText(theme.dim));
    painter.drawText(first, Qt::AlignRight | Qt::AlignVCenter, cost);
    painter.setFont(textFont(smallTextPx));
    painter.setPen(compared.problem.isEmpty() ? theme.text : theme.asText(theme.exposed));
    const QString title = QStringLiteral("%1  %2").arg(step + 1).arg(kindText(planned.kind));
    painter.drawText(first, Qt::AlignLeft | Qt::AlignVCenter,
                     elidedName(painter.fontMetrics(), title, Qt::ElideRight, first.width() - cost_width - 8));
    painter.setPen(theme.asText(theme.dim));
    const QString bytes = communicates(planned.kind) ? bytesText(compared.sent_bytes) : QString();
    painter.drawText(second, Qt::AlignRight | Qt::AlignVCenter, bytes);
    QString change =
        tr("%1 on %2").arg(stepChange(planned).remove(u' '), stepDims(planned, comparison_->question.mesh));
    if (!compared.problem.isEmpty()) change.prepend(QStringLiteral("● "));
    if (!compared.needs.isEmpty()) change.prepend(QStringLiteral("▲ "));
    const QRect room = second.adjusted(12, 0, -painter.fontMetrics().horizontalAdvance(bytes) - 8, 0);
    painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                     elidedName(painter.fontMetrics(), change, Qt::ElideRight, room.width()));
}

void PathBoard::paintCard(QPainter& painter, std::size_t index) const {
    const Theme& theme = currentTheme();
    const ComparedPath& path = comparison_->paths[index];
    const QRect card = cardArea(index);
    const bool chosen = index == path_;
    painter.setPen(QPen(chosen ? theme.accent : theme.line, chosen && hasFocus() ? 1.5 : 1));
    painter.setBrush(theme.raised);
    painter.drawRoundedRect(QRectF(card).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    const QRect inside = card.adjusted(padding, padding, -padding, -padding);
    paintFigures(painter, index, inside);
    for (int step = 0; step < steps(index); ++step) paintStep(painter, index, step);
    int top = stepArea(index, steps(index)).top();
    painter.setFont(textFont(smallTextPx));
    for (const Note& note : notes(path)) {
        const bool error = note.kind == Note::Kind::error;
        const QRect line(inside.left(), top + note_gap, inside.width(), painter.fontMetrics().height());
        const QRect room(line.left() + sign_width, line.top(), line.width() - sign_width, tallest_note);
        const QRect taken = painter.fontMetrics().boundingRect(room, Qt::TextWordWrap, note.text);
        painter.setPen(error ? theme.exposed : theme.caution);
        if (note.kind != Note::Kind::plain)
            painter.drawText(line, Qt::AlignLeft, error ? QStringLiteral("●") : QStringLiteral("▲"));
        painter.setPen(error ? theme.text : theme.dim);
        painter.drawText(room, Qt::TextWordWrap, note.text);
        top = taken.bottom();
    }
}

void PathBoard::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), currentTheme().background);
    painter.setRenderHint(QPainter::Antialiasing);
    if (!comparison_) return;
    for (std::size_t path = 0; path < comparison_->paths.size(); ++path) paintCard(painter, path);
}

}  // namespace overlap::ui
