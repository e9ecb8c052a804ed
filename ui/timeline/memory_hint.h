#pragma once

#include <QToolButton>

namespace overlap::ui {

/// Says in the header that there is a memory curve where a low view has no room for it; a click asks for the room.
class MemoryHint : public QToolButton {
    Q_OBJECT

  public:
    explicit MemoryHint(QWidget* parent);

    /// At the right of `header`, or nowhere.
    void place(const QRect& header, bool hidden_curve);
    /// The width that it takes there.
    int taken() const;
};

}  // namespace overlap::ui
