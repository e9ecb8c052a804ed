// How wide the figures are, and what of them has room.
#include <QRegularExpression>
#include <algorithm>
#include <utility>

#include "ui/document/document.h"
#include "ui/frame/figures_bar.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {
namespace {

constexpr int wide_gap = 24;
constexpr int narrow_gap = 16;
constexpr int narrowest_gap = 10;          ///< where plans need the room
constexpr int most_important = 2;          ///< of Figure::stays
constexpr int fewest_letters_of_name = 4;  ///< by which a name is known where it is cut

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

void FiguresBar::forgetWidths() {
    kept_.clear();
    reserved_ = {};
    labelled_ = 0;
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
    labelled_ = std::max(labelled_, layOutLabelled(true).width);
}

int FiguresBar::keptCell(const Figure& figure, Detail detail, bool difference) const {
    return kept_.value(kindOf(figure))[static_cast<std::size_t>(detail)][difference ? 1 : 0];
}

int FiguresBar::roomForBound(Detail detail, bool whole_label) const {
    const QString kind = kindOf(boundToCome());
    const bool has_place = std::ranges::any_of(figures_, [&](const Figure& figure) { return kindOf(figure) == kind; });
    if (!boundComes() || has_place) return 0;
    const int room = keptCell(boundToCome(), detail, hasDifference(boundToCome(), detail));
    return whole_label ? std::max(room, labelWidth(boundToCome().label, detail)) : room;
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

QString FiguresBar::labelOf(const Layout& layout, std::size_t figure) const {
    const Cell& cell = layout.cells[figure];
    if (cell.whole || layout.detail == Detail::all) return figures_[figure].label;
    // The value and its difference are often wider than the short label: a name costs nothing there.
    const int room = cellWidth(layout, figure) - (figure == 0 ? layout.bound_room : 0) - gapOf(layout.detail);
    const QString named = cutName(figures_[figure], room);
    return named.isEmpty() ? labelOf(figures_[figure], layout.detail, cell.brief) : named;
}

QString FiguresBar::cutName(const Figure& figure, int room) {
    const QString cut =
        QFontMetrics(textFont(smallTextPx)).elidedText(figure.named_label, Qt::ElideRight, std::max(0, room));
    const qsizetype before_name = figure.named_label.indexOf(QStringLiteral(" · ")) + 3;
    return cut == figure.named_label || cut.size() > before_name + fewest_letters_of_name ? cut : QString();
}

int FiguresBar::labelWidth(const QString& label, Detail detail) {
    return QFontMetrics(textFont(smallTextPx)).horizontalAdvance(label) + gapOf(detail);
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
    const int label = cell.whole   ? labelWidth(figures_[figure].label, layout.detail)
                      : cell.named ? labelWidth(figures_[figure].named_label, layout.detail)
                                   : 0;
    const int width = layout.kept ? keptCell(figures_[figure], layout.detail, cell.difference)
                                  : cellWidth(figures_[figure], layout.detail, cell.difference, cell.brief);
    return std::max(label, width) + (figure == 0 ? layout.bound_room + layout.name_room : 0);
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

QList<int> FiguresBar::wantedWidths() const {
    return {reserved_.begin(), reserved_.end()};
}

FiguresBar::Layout FiguresBar::layOut(Detail detail, bool kept) const {
    Layout layout{.detail = detail, .kept = kept, .bound_room = kept ? roomForBound(detail) : 0};
    for (const Figure& figure : figures_) layout.cells.push_back({true, hasDifference(figure, detail)});
    for (std::size_t i = 0; i < figures_.size(); ++i) layout.width += cellWidth(layout, i);
    return layout;
}

FiguresBar::Layout FiguresBar::layOutLabelled(bool kept) const {
    constexpr Detail close = Detail::no_differences;
    Layout layout{.detail = close, .kept = kept, .bound_room = kept ? roomForBound(close, true) : 0};
    for (const Figure& figure : figures_) {
        const bool named = !figure.named_label.isEmpty();
        layout.cells.push_back({.shown = true, .difference = true, .whole = !named, .named = named});
    }
    for (std::size_t i = 0; i < figures_.size(); ++i) layout.width += cellWidth(layout, i);
    return layout;
}

FiguresBar::Layout FiguresBar::layOut() const {
    // With room for whatever they become, else as they are.
    for (const bool kept : {true, false})
        for (const Detail detail : details) {
            if (Layout labelled = layOutLabelled(kept); detail != Detail::all && labelled.width <= width()) {
                addLabels(labelled);
                addName(labelled);
                return labelled;
            }
            Layout layout = layOut(detail, kept);
            if (layout.width > width()) continue;
            addDifferences(layout);
            addLabels(layout);
            addName(layout);
            return layout;
        }
    Layout layout = layOutImportant();
    addName(layout);
    return layout;
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

/// All of the labels that there is room for, from the first on.
void FiguresBar::addLabels(Layout& layout) const {
    const auto grow = [&](std::size_t figure, bool Cell::*what) {
        if (layout.cells[figure].whole) return true;
        Layout with = layout;
        with.cells[figure].*what = true;
        with.width += cellWidth(with, figure) - cellWidth(layout, figure);
        const bool fits = with.width <= width();
        if (fits) layout = std::move(with);
        return fits;
    };
    for (std::size_t i = 0; i < figures_.size(); ++i) {
        if (!grow(i, &Cell::whole) && !figures_[i].named_label.isEmpty()) grow(i, &Cell::named);
        // The bound that comes must not move what stands there by then.
        if (i > 0 || layout.bound_room == 0) continue;
        const int wider = std::max(0, roomForBound(layout.detail, true) - layout.bound_room);
        if (layout.width + wider > width()) continue;
        layout.bound_room += wider;
        layout.width += wider;
    }
}

void FiguresBar::addName(Layout& layout) const {
    if (figures_.empty() || layout.cells.front().whole || layout.detail == Detail::all) return;
    const Figure& first = figures_.front();
    const int now = cellWidth(layout, 0) - layout.bound_room;
    const int wanted = labelWidth(first.named_label, layout.detail) - now;
    const int more = std::min(wanted, width() - layout.width);
    if (more <= 0 || cutName(first, now + more - gapOf(layout.detail)).isEmpty()) return;
    layout.name_room = more;
    layout.width += more;
}

FiguresBar::Layout FiguresBar::layOutImportant() const {
    Layout layout{Detail::no_differences, std::vector<Cell>(figures_.size())};
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

}  // namespace overlap::ui
