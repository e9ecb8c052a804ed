#include "ui/frame/button_rows.h"

#include <QStyle>
#include <QToolButton>
#include <algorithm>

namespace overlap::ui {
namespace {

constexpr int gap = 4;  ///< between buttons, and between rows

int widthOf(const std::vector<QToolButton*>& buttons) {
    int width = 0;
    for (const QToolButton* button : buttons) width += button->sizeHint().width() + gap;
    return std::max(0, width - gap);
}

int heightOf(const std::vector<QToolButton*>& buttons) {
    int height = 0;
    for (const QToolButton* button : buttons) height = std::max(height, button->sizeHint().height());
    return height;
}

}  // namespace

ButtonRows::ButtonRows(QWidget* parent) : QWidget(parent) {
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void ButtonRows::add(QToolButton* button, const QToolButton* before) {
    button->setParent(this);
    button->show();
    buttons_.insert(std::ranges::find(buttons_, before), button);
    place();
    updateGeometry();
}

void ButtonRows::remove(QToolButton* button) {
    std::erase(buttons_, button);
    place();
    updateGeometry();
}

QSize ButtonRows::sizeHint() const {
    return {widthOf(buttons_), heightOf(buttons_)};
}

QSize ButtonRows::minimumSizeHint() const {
    return {0, heightOf(buttons_)};
}

int ButtonRows::heightForWidth(int width) const {
    int height = 0;
    for (const auto& row : rowsOf(width)) height += heightOf(row) + gap;
    return std::max(0, height - gap);
}

std::vector<std::vector<QToolButton*>> ButtonRows::rowsOf(int width) const {
    std::vector<std::vector<QToolButton*>> rows;
    for (QToolButton* button : buttons_) {
        if (!rows.empty()) {
            rows.back().push_back(button);
            if (widthOf(rows.back()) <= width) continue;
            rows.back().pop_back();
        }
        rows.push_back({button});
    }
    return rows;
}

void ButtonRows::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    place();
}

void ButtonRows::place() {
    int y = 0;
    for (const auto& row : rowsOf(width())) {
        int x = std::max(0, width() - widthOf(row));
        for (QToolButton* button : row) {
            const QSize size = button->sizeHint().boundedTo({width(), QWIDGETSIZE_MAX});
            button->setGeometry(QStyle::visualRect(layoutDirection(), rect(), {QPoint(x, y), size}));
            button->setToolTip(size.width() < button->sizeHint().width() ? button->text() : QString());
            x += size.width() + gap;
        }
        y += heightOf(row) + gap;
    }
}

}  // namespace overlap::ui
