#pragma once

#include <QDoubleSpinBox>
#include <optional>

namespace overlap::ui {

/// A field for a number that swallows nothing of what is typed into it: a spin box drops a letter that its number
/// cannot have, so that 2.5 becomes 25, and the last digit of a number beyond its range. What is no number of the range
/// is refused with the reason, below the field; behind Enter the text stays, to be mended, and who leaves the field has
/// the former number back. Numbers are written as short as they are.
class NumberField : public QDoubleSpinBox {
    Q_OBJECT

  public:
    /// @param decimals 0: whole numbers alone.
    explicit NumberField(int decimals = 0, QWidget* parent = nullptr);

    /// @returns the number as short as it is, without separators of groups and zeros behind the last decimal.
    QString textFromValue(double value) const override;
    /// @returns the number that stands in the text, else the one that the field has.
    double valueFromText(const QString& text) const override;
    /// Takes every text as one on its way to a number, so that nothing that is typed is dropped.
    QValidator::State validate(QString& text, int& position) const override;
    /// Refuses what is no number of the field when it is left.
    void fixup(QString& text) const override;

  signals:
    /// Why what was typed is not taken; one sentence without full stop.
    void refused(const QString& reason);

  protected:
    /// Enter refuses what is no number of the field, which stays to be mended.
    void keyPressEvent(QKeyEvent* event) override;

  private:
    QString typedIn(const QString& text) const;
    std::optional<double> inRange(const QString& text) const;
    std::optional<double> numberOf(const QString& text) const;
    void refuse(const QString& text);
};

}  // namespace overlap::ui
