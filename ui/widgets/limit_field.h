#pragma once

#include <QDoubleSpinBox>
#include <functional>

#include "ui/theme/limit_text.h"

namespace overlap::ui {

/// A field for a limit of memory in GiB, with as many decimals as it needs. It takes what readLimit() understands and
/// shows what that comes to; of what it does not understand it says so below itself, and keeps the limit that it had.
/// Empty it is its minimum.
class LimitField : public QDoubleSpinBox {
    Q_OBJECT

  public:
    using Names = std::function<std::vector<NamedBytes>()>;

    explicit LimitField(QWidget* parent = nullptr);

    /// What limits may be counted from, asked when one is typed.
    void setNames(Names names);

    /// As wide as what stands in it, so that it is never cut.
    QSize minimumSizeHint() const override;
    QString textFromValue(double gib) const override;
    double valueFromText(const QString& text) const override;
    QValidator::State validate(QString& text, int& position) const override;
    void fixup(QString& text) const override;

  signals:
    /// Why what was typed is no limit; one sentence without full stop.
    void refused(const QString& reason);

  private:
    ReadLimit read(const QString& text) const;

    Names names_;
};

}  // namespace overlap::ui
