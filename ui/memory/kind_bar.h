#pragma once

#include <QStringList>
#include <QWidget>

#include "core/memory/memory_kinds.h"

namespace overlap::ui {

/// What is held at the peak, by kind: a bar of stacked stretches with their names and bytes, the largest first.
class KindBar : public QWidget {
    Q_OBJECT

  public:
    explicit KindBar(QWidget* parent = nullptr);

    /// @param held nothing is shown where it has no bytes.
    void setHeld(const HeldMemory& held);
    /// A thin bar close above its names, where there is little height; not at first.
    void setLow(bool low);
    /// What is shown, as a text: `gathered parameters 12.1 GiB, …`.
    QString text() const;
    /// What stands below the bar, from left to right: names with bytes as far as all of them are whole, and how many
    /// more there are, which the tool tip has.
    QStringList legend() const;

  protected:
    QSize sizeHint() const override { return {320, 40}; }
    void paintEvent(QPaintEvent* event) override;

  private:
    struct Part {
        MemoryKind kind;
        std::int64_t bytes;
    };
    QString labelOf(const Part& part) const;

    bool low_ = false;
    std::vector<Part> parts_;
    std::int64_t bytes_ = 0;
};

}  // namespace overlap::ui
