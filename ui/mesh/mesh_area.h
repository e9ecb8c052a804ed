#pragma once

#include <QScrollArea>

namespace overlap::ui {

/// A part of the Mesh view that is scrolled where it is larger than its place.
inline QScrollArea* scrolledPart(QWidget* content, const char* name) {
    auto* area = new QScrollArea;
    area->setObjectName(name);
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setWidget(content);
    area->setFocusPolicy(Qt::NoFocus);
    area->setCornerWidget(new QWidget);  // else a style draws one
    return area;
}

}  // namespace overlap::ui
