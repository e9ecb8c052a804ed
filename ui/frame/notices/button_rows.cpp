#include "ui/frame/notices/button_rows.h"

#include <QPainter>
#include <QStyle>
#include <QToolButton>
#include <algorithm>

#include "ui/theme/theme_manager.h"

namespace overlap::ui {
namespace {

constexpr int gap = 4;         ///< between buttons, and between rows
constexpr int group_gap = 17;  ///< between groups, with the line

}  // namespace

ButtonRows::ButtonRows(QWidget* parent) : QWidget(parent) {
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

int ButtonRows::widthOf(const Row& row) {
    int width = 0;
    for (std::size_t index = 0; index < row.size(); ++index) {
        if (index > 0) width += row[index]->group == row[index - 1]->group ? gap : group_gap;
        width += row[index]->button->sizeHint().width();
    }
    return width;
}

int ButtonRows::heightOf(const Row& row) {
    int height = 0;
    for (const Shown* shown : row) height = std::max(height, shown->button->sizeHint().height());
    return height;
}

ButtonRows::Row ButtonRows::all() const {
    Row row;
    for (const Shown& shown : buttons_) row.push_back(&shown);
    return row;
}

void ButtonRows::add(QToolButton* button, quint64 group, const QString& help, const QToolButton* before) {
    button->setParent(this);
    button->show();
    const auto position =
        before ? std::ranges::find(buttons_, before, [](const Shown& shown) { return shown.button; }) : buttons_.end();
    buttons_.insert(position, {button, group, help});
    place();
    updateGeometry();
}

void ButtonRows::remove(QToolButton* button) {
    std::erase_if(buttons_, [&](const Shown& shown) { return shown.button == button; });
    place();
    updateGeometry();
}

QSize ButtonRows::sizeHint() const {
    return {widthOf(all()), heightOf(all())};
}

QSize ButtonRows::minimumSizeHint() const {
    return {0, heightOf(all())};
}

int ButtonRows::heightForWidth(int width) const {
    int height = 0;
    for (const Row& row : rowsOf(width)) height += heightOf(row) + gap;
    return std::max(0, height - gap);
}

/// A group that has no room behind another one begins a row, where it has room in that.
std::vector<ButtonRows::Row> ButtonRows::rowsOf(int width) const {
    std::vector<Row> rows;
    for (const Shown* shown : all()) {
        if (!rows.empty()) {
            const bool begins = rows.back().back()->group != shown->group;
            const Row group = begins ? groupOf(shown->group) : Row();
            Row longer = rows.back();
            if (begins && widthOf(group) <= width)
                longer.insert(longer.end(), group.begin(), group.end());
            else
                longer.push_back(shown);
            if (widthOf(longer) <= width) {
                rows.back().push_back(shown);
                continue;
            }
        }
        rows.push_back({shown});
    }
    return rows;
}

ButtonRows::Row ButtonRows::groupOf(quint64 group) const {
    Row row;
    for (const Shown& shown : buttons_)
        if (shown.group == group) row.push_back(&shown);
    return row;
}

void ButtonRows::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    place();
}

void ButtonRows::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    for (const QRect& line : lines_) painter.fillRect(line, currentTheme().line);
}

void ButtonRows::place() {
    lines_.clear();
    int y = 0;
    for (const Row& row : rowsOf(width())) {
        int x = std::max(0, width() - widthOf(row));
        for (std::size_t index = 0; index < row.size(); ++index) {
            QToolButton* button = row[index]->button;
            if (index > 0 && row[index]->group != row[index - 1]->group) {
                const QRect line(x - gap + group_gap / 2, y, 1, heightOf(row));
                lines_.push_back(QStyle::visualRect(layoutDirection(), rect(), line));
                x += group_gap - gap;
            }
            const QSize size = button->sizeHint().boundedTo({width(), QWIDGETSIZE_MAX});
            button->setGeometry(QStyle::visualRect(layoutDirection(), rect(), {QPoint(x, y), size}));
            QStringList tip;
            if (size.width() < button->sizeHint().width()) tip.append(button->text());
            if (!row[index]->help.isEmpty()) tip.append(row[index]->help);
            button->setToolTip(tip.join(u'\n'));
            x += size.width() + gap;
        }
        y += heightOf(row) + gap;
    }
    update();
}

}  // namespace overlap::ui
