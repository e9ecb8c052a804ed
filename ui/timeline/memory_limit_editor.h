#pragma once

#include <QLineEdit>

#include "ui/theme/limit_text.h"

namespace overlap::ui {

/// A line to type the limit of the peak into, where the timeline draws it. Enter keeps it, Escape and a click elsewhere
/// drop it. What is no limit stays, to be mended.
class MemoryLimitEditor : public QLineEdit {
    Q_OBJECT

  public:
    explicit MemoryLimitEditor(QWidget* parent);
    /// @param place where the limit stands; the line is inside of `area`, which it is above of where that is low.
    /// @param names what the limit may be counted from.
    void open(const QRect& place, const QRect& area, std::int64_t bytes, std::vector<NamedBytes> names);

  signals:
    /// 0, also for an empty line: what the device holds.
    void accepted(double gib);
    /// Why what was typed is no limit; one sentence without full stop.
    void refused(const QString& reason);
    void closed();

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

  private:
    void take();
    void close();

    std::vector<NamedBytes> names_;
};

}  // namespace overlap::ui
