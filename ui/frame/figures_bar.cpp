#include "ui/frame/figures_bar.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QRegularExpression>
#include <QTimer>
#include <algorithm>
#include <utility>

#include "ui/document/document.h"
#include "ui/theme/theme_manager.h"
#include "ui/theme/tool_tip_lines.h"

namespace overlap::ui {
namespace {

constexpr int wide_gap = 24;
constexpr int narrow_gap = 16;
constexpr int narrowest_gap = 10;  ///< where plans need the room
constexpr int difference_gap = 8;
constexpr int value_px = 15;
constexpr int most_important = 2;   ///< of Figure::stays
constexpr int busy_after_ms = 200;  ///< figures of an older plan are dimmed only where evaluation takes this long

/// What a figure is, whatever else its label says.
QString kindOf(const Figure& figure) {
    return figure.label.section(QStringLiteral(" · "), 0, 0);
}

/// What stands behind the step as soon as it is found.
Figure boundToCome() {
    return {FiguresBar::tr("above bound · order kept"), QStringLiteral("00.0 %"), {}, 0, {}};
}

/// A text of the same kind that is at least as wide: digits differ in width, and a number with a unit has four of them
/// and a point, five where that is a time from a second on, or less.
QString widest(QString text) {
    static const QRegularExpression digit(QStringLiteral("\\d"));
    static const QRegularExpression whole_ms(QStringLiteral("^0000(?=\\x{202f}ms)"));
    static const QRegularExpression seconds(QStringLiteral("^[0.]+(?=\\x{202f}s)"));
    static const QRegularExpression short_number(QStringLiteral("^[0.]{1,4}(?=\\x{202f})"));
    text.replace(digit, QStringLiteral("0"));
    text.replace(whole_ms, QStringLiteral("0000.0"));
    if (text.contains(seconds)) return text.replace(seconds, QStringLiteral("00.000"));
    return text.replace(short_number, QStringLiteral("000.0"));
}

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

void FiguresBar::forgetWidths() {
    kept_.clear();
    reserved_ = {};
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

bool FiguresBar::boundComes() const {
    if (instead_ || !document_ || !document_->isOpen() || !document_->baseline().times_known || gap_.gap())
        return false;
    const auto evaluation = document_->evaluation();
    return !evaluation || !evaluation->on_shared_links;  // a step with links shared has it beside it
}

void FiguresBar::reserve() {
    std::vector<Figure> figures = figures_;
    if (boundComes()) figures.push_back(boundToCome());
    for (Figure& figure : figures) {
        figure.value = widest(figure.value);
        Widths& widths = kept_[kindOf(figure)];
        for (const QString& difference : {widest(figure.difference), widest(figure.widest_difference)}) {
            figure.difference = difference;
            for (const Detail detail : details)
                for (const bool with : {false, true}) {
                    int& width = widths[static_cast<std::size_t>(detail)][with ? 1 : 0];
                    width = std::max(width, cellWidth(figure, detail, with));
                }
        }
    }
    for (const Detail detail : details) {
        int& reserved = reserved_[static_cast<std::size_t>(detail)];
        reserved = std::max(reserved, keptWidth(detail));
    }
}

int FiguresBar::keptCell(const Figure& figure, Detail detail, bool difference) const {
    return kept_.value(kindOf(figure))[static_cast<std::size_t>(detail)][difference ? 1 : 0];
}

int FiguresBar::roomForBound(Detail detail) const {
    const QString kind = kindOf(boundToCome());
    const bool has_place = std::ranges::any_of(figures_, [&](const Figure& figure) { return kindOf(figure) == kind; });
    return boundComes() && !has_place ? keptCell(boundToCome(), detail, hasDifference(boundToCome(), detail)) : 0;
}

int FiguresBar::keptWidth(Detail detail) const {
    int width = roomForBound(detail);
    for (const Figure& figure : figures_) width += keptCell(figure, detail, hasDifference(figure, detail));
    return width;
}

bool FiguresBar::hasDifference(const Figure& figure, Detail detail) {
    return detail != Detail::no_differences || figure.difference_stays;
}

QString FiguresBar::labelOf(const Figure& figure, Detail detail, bool brief) {
    if (brief && !figure.briefest_label.isEmpty()) return figure.briefest_label;
    if (detail == Detail::all) return figure.label;
    return figure.short_label.isEmpty() ? figure.label.section(QStringLiteral(" · "), 0, 0) : figure.short_label;
}

int FiguresBar::cellWidth(const Figure& figure, Detail detail, bool difference, bool brief) {
    const QFontMetrics value(textFont(value_px, QFont::DemiBold));
    const QFontMetrics small(textFont(smallTextPx));
    int width = value.horizontalAdvance(figure.value);
    if (difference && !figure.difference.isEmpty())
        width += small.horizontalAdvance(figure.difference) + difference_gap;
    return std::max(width, small.horizontalAdvance(labelOf(figure, detail, brief))) + gapOf(detail);
}

int FiguresBar::cellWidth(const Layout& layout, std::size_t figure) const {
    const Cell& cell = layout.cells[figure];
    if (!cell.shown) return 0;
    if (!layout.kept) return cellWidth(figures_[figure], layout.detail, cell.difference, cell.brief);
    const int room = figure == 0 ? roomForBound(layout.detail) : 0;
    return keptCell(figures_[figure], layout.detail, cell.difference) + room;
}

int FiguresBar::left(const Layout& layout, std::size_t figure) const {
    int x = std::max(0, width() - layout.width);
    for (std::size_t before = 0; before < figure; ++before) x += cellWidth(layout, before);
    return x;
}

int FiguresBar::left(std::size_t figure) const {
    return left(layOut(), figure);
}

int FiguresBar::gapOf(Detail detail) {
    switch (detail) {
        case Detail::all:
            return wide_gap;
        case Detail::short_labels:
            return narrow_gap;
        case Detail::no_differences:
            break;
    }
    return narrowest_gap;
}

int FiguresBar::widthOf(const std::vector<Figure>& figures, Detail detail) {
    int width = 0;
    for (const Figure& figure : figures) width += cellWidth(figure, detail, hasDifference(figure, detail));
    return width;
}

QList<int> FiguresBar::wantedWidths() const {
    return {reserved_.begin(), reserved_.end()};
}

FiguresBar::Layout FiguresBar::layOut() const {
    // With room for whatever they become, else as they are.
    for (const bool kept : {true, false})
        for (const Detail detail : details) {
            Layout layout{detail, {}, kept, kept ? keptWidth(detail) : widthOf(figures_, detail)};
            if (layout.width > width()) continue;
            for (const Figure& figure : figures_) layout.cells.push_back({true, hasDifference(figure, detail)});
            addDifferences(layout);
            return layout;
        }
    return layOutImportant();
}

/// As many as there is room for, from the first on.
void FiguresBar::addDifferences(Layout& layout) const {
    for (std::size_t i = 0; i < figures_.size(); ++i) {
        if (layout.cells[i].difference) continue;
        Layout with = layout;
        with.cells[i].difference = true;
        with.width += cellWidth(with, i) - cellWidth(layout, i);
        if (with.width > width()) return;
        layout = std::move(with);
    }
}

FiguresBar::Layout FiguresBar::layOutImportant() const {
    Layout layout{Detail::no_differences, std::vector<Cell>(figures_.size()), false, 0};
    const auto grow = [&](std::size_t figure, Cell cell) {
        Layout with = layout;
        with.cells[figure] = cell;
        with.width += cellWidth(with, figure) - cellWidth(layout, figure);
        const bool fits = with.width <= width();
        if (fits) layout = std::move(with);
        return fits;
    };
    if (!figures_.empty() && !grow(0, {true, false, true})) {
        layout.cells.front() = {true, false, true};
        layout.width = cellWidth(layout, 0);
        return layout;
    }
    for (int stays = most_important; stays >= 0; --stays)
        for (std::size_t i = 0; i < figures_.size(); ++i) {
            if (figures_[i].stays != stays) continue;
            if (!grow(i, {true, false, true})) return layout;
            if (figures_[i].difference_stays && !grow(i, {true, true, true})) return layout;
            if (!figures_[i].briefest_label.isEmpty() && !grow(i, {true, figures_[i].difference_stays, false}))
                return layout;
        }
    return layout;
}

QStringList FiguresBar::labels() const {
    const Layout layout = layOut();
    QStringList labels;
    for (std::size_t i = 0; i < figures_.size(); ++i)
        if (layout.cells[i].shown) labels.append(labelOf(figures_[i], layout.detail, layout.cells[i].brief));
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
        painter.drawText(QRect(x, 0, cell, label_height), Qt::AlignLeft | Qt::AlignTop,
                         labelOf(figure, layout.detail, layout.cells[i].brief));
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
