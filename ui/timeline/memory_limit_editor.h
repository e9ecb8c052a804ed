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
    /// @param typed what the limit was typed as, or empty: shown in place of its number while it comes to that.
    void open(const QRect& place, const QRect& area, std::int64_t bytes, std::vector<NamedBytes> names,
              const QString& typed);

  signals:
    /// What is a limit, as it was typed; empty: what the device holds.
    void accepted(const QString& typed);
    /// Why what was typed is no limit; one sentence without full stop.
    void refused(const QString& reason);
    void closed();

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

  private:
    QString textOf(std::int64_t bytes, const QString& typed) const;
    void take();
    void close();

    std::vector<NamedBytes> names_;
};

}  // namespace overlap::ui
