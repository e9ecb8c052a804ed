#pragma once

#include <QBoxLayout>
#include <QWidget>

#include "ui/widgets/low_bar.h"

namespace overlap::ui {

/// A row of controls above a panel's content.
inline QHBoxLayout* barLayout(QWidget* bar) {
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(8, 6, 8, 6);
    layout->setSpacing(8);
    return layout;
}

/// The panel as a bar with its content below, which takes the focus.
inline void layOutPanel(QWidget* panel, QWidget* bar, QWidget* content) {
    auto* layout = new QVBoxLayout(panel);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(bar);
    layout->addWidget(content, 1);
    new LowBar(*panel, *bar);
    panel->setFocusProxy(content);
    panel->setFocusPolicy(Qt::StrongFocus);
}

}  // namespace overlap::ui
