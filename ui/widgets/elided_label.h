#pragma once

#include <QLabel>
#include <QPainter>
#include <QStyleOption>

#include "ui/theme/harmless_text.h"

namespace overlap::ui {

/// One line of plain text that ends in an ellipsis where it is too long, and never widens its container; with
/// setWordWrap(), as many lines as it takes. The caller gives it a tool tip with the whole text.
class ElidedLabel : public QLabel {
  public:
    explicit ElidedLabel(QWidget* parent = nullptr) : QLabel(parent) {
        setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    }

  protected:
    void paintEvent(QPaintEvent* event) override {
        if (wordWrap()) return QLabel::paintEvent(event);
        QPainter painter(this);
        QStyleOption option;
        option.initFrom(this);
        const QRect area = contentsRect();
        style()->drawItemText(&painter, area, QStyle::visualAlignment(layoutDirection(), alignment()), option.palette,
                              isEnabled(), elidedName(fontMetrics(), text(), Qt::ElideRight, area.width()),
                              foregroundRole());
    }
};

}  // namespace overlap::ui
