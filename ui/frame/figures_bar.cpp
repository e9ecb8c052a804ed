#include "ui/frame/figures_bar.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QTimer>
#include <algorithm>
#include <utility>

#include "ui/document/document.h"
#include "ui/theme/theme_manager.h"
#include "ui/theme/tool_tip_lines.h"

namespace overlap::ui {
namespace {

constexpr int busy_after_ms = 200;  ///< figures of an older plan are dimmed only where evaluation takes this long

}  // namespace

FiguresBar::FiguresBar(Document& document, QWidget* parent) : QWidget(parent), document_(&document), gap_(document) {
    setObjectName("figures");
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(&document, &Document::graphChanged, this, &FiguresBar::forgetWidths);
    connect(&document, &Document::evaluationChanged, this, &FiguresBar::update);
    setMouseTracking(true);
    connect(&gap_, &StepGap::changed, this, &FiguresBar::update);
    connect(&document, &Document::evaluatingChanged, this, [this](bool evaluating) {
        if (!evaluating) {
            stale_ = false;
            QWidget::update();
            return;
        }
        QTimer::singleShot(busy_after_ms, this, [this] {
            stale_ = !instead_ && document_ && document_->evaluating();
            QWidget::update();
        });
    });
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, qOverload<>(&QWidget::update));
    update();
}

void FiguresBar::showInstead(std::optional<std::vector<Figure>> figures) {
    if (figures.has_value() != instead_.has_value()) forgetWidths();
    instead_ = std::move(figures);
    update();
}

void FiguresBar::setMemoryLimit(qint64 bytes) {
    if (std::exchange(memory_limit_, bytes) != bytes) update();
}

void FiguresBar::update() {
    figures_ = instead_ ? *instead_ : document_ ? figuresOf(*document_, memory_limit_) : std::vector<Figure>();
    if (!instead_ && !figures_.empty())
        if (const auto beside = besideStepFigure(*document_, gap_)) figures_.insert(figures_.begin() + 1, *beside);
    QStringList texts;
    for (const Figure& figure : figures_)
        texts.append(QStringLiteral("%1 %2 %3").arg(figure.label, figure.value, figure.difference).trimmed());
    setAccessibleName(texts.join(QStringLiteral(", ")));
    reserve();
    updateGeometry();
    QWidget::update();
}

QStringList FiguresBar::labels() const {
    const Layout layout = layOut();
    QStringList labels;
    for (std::size_t i = 0; i < figures_.size(); ++i)
        if (layout.cells[i].shown) labels.append(labelOf(layout, i));
    return labels;
}

QStringList FiguresBar::differences() const {
    const Layout layout = layOut();
    QStringList differences;
    for (std::size_t i = 0; i < figures_.size(); ++i)
        if (layout.cells[i].difference) differences.append(figures_[i].difference);
    return differences;
}

QSize FiguresBar::sizeHint() const {
    const QFontMetrics value(textFont(value_px, QFont::DemiBold));
    const QFontMetrics small(textFont(smallTextPx));
    return {reserved_.front(), small.height() + value.height()};
}

QSize FiguresBar::minimumSizeHint() const {
    // The step at least: a toolbar leaves out what cannot be as narrow as its room, with all figures at once. Nor must
    // room that is kept make a small window wider than its screen.
    const int step = figures_.empty() ? 0 : cellWidth(figures_.front(), details.back(), false);
    return {step, sizeHint().height()};
}

void FiguresBar::paintEvent(QPaintEvent*) {
    const Theme& theme = currentTheme();
    QPainter painter(this);
    painter.setOpacity(stale_ ? 0.5 : 1);
    const QFont value_font = textFont(value_px, QFont::DemiBold);
    const QFont small_font = textFont(smallTextPx);
    const Layout layout = layOut();
    const int label_height = QFontMetrics(small_font).height();
    int x = left(layout, 0) + gapOf(layout.detail) / 2;
    for (std::size_t i = 0; i < figures_.size(); ++i) {
        if (!layout.cells[i].shown) continue;
        const Figure& figure = figures_[i];
        const int cell = cellWidth(layout, i);
        const bool with_difference = layout.cells[i].difference;
        painter.setFont(small_font);
        painter.setPen(theme.dim);
        painter.drawText(QRect(x, 0, cell, label_height), Qt::AlignLeft | Qt::AlignTop, labelOf(layout, i));
        const QRect line(x, label_height - 1, cell, height() - label_height + 1);
        painter.setFont(value_font);
        // Where differences do not fit, the colour of the value shows that it is worse or better.
        const QColor change = theme.asText(figure.change > 0   ? theme.hidden
                                           : figure.change < 0 ? theme.caution
                                                               : theme.dim);
        const bool plain = with_difference || figure.change == 0;
        painter.setPen(figure.beyond ? theme.asText(theme.exposed) : plain ? theme.text : change);
        painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, figure.value);
        if (with_difference) {
            const int value_width = painter.fontMetrics().horizontalAdvance(figure.value);
            painter.setFont(small_font);
            painter.setPen(change);
            painter.drawText(line.adjusted(value_width + difference_gap, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                             figure.difference);
        }
        x += cell;
    }
}

const Figure* FiguresBar::figureAt(int position) const {
    const Layout layout = layOut();
    for (std::size_t i = 0; i < figures_.size(); ++i)
        if (layout.cells[i].shown && position < left(layout, i) + cellWidth(layout, i))
            return i == 0 && position < left(layout, 0) ? nullptr : &figures_[i];
    return nullptr;
}

void FiguresBar::mouseMoveEvent(QMouseEvent* event) {
    const Figure* hovered = figureAt(event->position().toPoint().x());
    setCursor(hovered && hovered->opens ? Qt::PointingHandCursor : Qt::ArrowCursor);
    QWidget::mouseMoveEvent(event);
}

void FiguresBar::mouseReleaseEvent(QMouseEvent* event) {
    const Figure* clicked =
        rect().contains(event->position().toPoint()) ? figureAt(event->position().toPoint().x()) : nullptr;
    if (event->button() == Qt::LeftButton && clicked && clicked->opens) emit stepWanted();
}

QString FiguresBar::helpAt(int position) const {
    const Figure* hovered = figureAt(position);
    if (!hovered) return {};
    const Layout layout = layOut();
    if (layout.detail == Detail::all) return hovered->help;
    QStringList lines;
    for (const Figure& figure : figures_)
        lines.append(QStringLiteral("%1: %2 %3").arg(figure.label, figure.value, figure.difference).trimmed());
    return lines.join(u'\n') + QStringLiteral("\n\n") + hovered->help;
}

bool FiguresBar::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    showToolTip(help->globalPos(), helpAt(help->pos().x()), this);
    return true;
}

}  // namespace overlap::ui
