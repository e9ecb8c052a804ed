#pragma once

#include <QDoubleSpinBox>
#include <functional>

#include "ui/theme/limit_text.h"

namespace overlap::ui {

/// A field for a limit of memory in GiB. It takes what readLimit() understands and goes on showing it as it was typed,
/// and in the tool tip what a sum comes to, for as long as it comes to that; any other limit is shown as a number. Of
/// what it does not understand it says so below itself, and keeps the limit that it had; behind Enter the text stays,
/// to be mended. What begins with a sign counts from the first name, which is then written before it. Its value is
/// exact. At its minimum it is empty, and a placeholder stands in it. What is in it is selected when it gets the focus,
/// so that typing replaces it.
class LimitField : public QDoubleSpinBox {
    Q_OBJECT

  public:
    using Names = std::function<std::vector<NamedBytes>()>;

    explicit LimitField(QWidget* parent = nullptr);

    /// What limits may be counted from, asked when one is typed.
    void setNames(Names names);
    /// What stands before and behind a limit, such as `≤ ` and ` GiB`: instead of prefix and suffix, which would stand
    /// in an empty field too.
    void setAffixes(const QString& before, const QString& behind);
    /// What an empty field means, or what can be typed into it.
    /// @param least what of it always has room: the rest is elided in a narrow window. Empty: all of it has.
    void setPlaceholderText(const QString& text, const QString& least = {});

    /// What the shown limit was typed as; empty where it was not typed.
    QString typed() const;
    /// Takes a limit that was typed elsewhere as if it were typed here. What is no limit changes nothing.
    void take(const QString& typed);
    /// Shows a limit as it was typed once. @param typed empty: it was not.
    void restore(const QString& typed, double gib);
    /// The limit in bytes: to the byte where it was typed as a sum or with another unit; of a number of GiB all that is
    /// shown as that much, see limitBytes().
    std::int64_t bytes() const;
    /// The names mean something else now: a sum that does not come to the limit any more makes room for its number.
    void namesChanged();

    /// As wide as what stands in it, so that it is never cut, and as the placeholder, also where it is not empty.
    QSize minimumSizeHint() const override;
    QSize sizeHint() const override;
    QString textFromValue(double gib) const override;
    double valueFromText(const QString& text) const override;
    QValidator::State validate(QString& text, int& position) const override;
    void fixup(QString& text) const override;
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  signals:
    /// Why what was typed is no limit; one sentence without full stop. Empty: what was typed since is one.
    void refused(const QString& reason);

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

  private:
    ReadLimit read(const QString& text) const;
    QString withoutAffixes(const QString& text) const;
    QString behindUnit() const;
    void takeBackRefusal();
    QString writtenOut(const QString& typed) const;
    QString numberText(double gib) const;
    /// Whether `gib` is what was typed last. @param to_be_shown it must still come to that.
    bool isTyped(double gib, bool to_be_shown) const;
    QSize sizeWith(const QString& placeholder, int most_letters) const;

    Names names_;
    // Qt asks for the value of a text, and then for the text of that value.
    mutable QString typed_;
    mutable double typed_gib_ = 0;
    mutable bool refused_ = false;  ///< and what was said of it stands
    QString before_, behind_, least_;
    /// The press that gave it the focus is in its line, and not over yet: the reason of the focus is told before that.
    bool clicked_into_ = false;
};

}  // namespace overlap::ui
