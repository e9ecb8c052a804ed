#include "ui/widgets/limit_field.h"

#include <QFocusEvent>
#include <QLineEdit>
#include <QStyleOptionSpinBox>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/theme/harmless_text.h"

namespace overlap::ui {

LimitField::LimitField(QWidget* parent) : QDoubleSpinBox(parent) {
    setDecimals(3);
    setRange(0, most_limit_gib);
    setKeyboardTracking(false);  // a number that is half typed is no limit
    // The field tells what it comes to, its line what is typed.
    connect(this, &QDoubleSpinBox::textChanged, this, &QWidget::updateGeometry);
    connect(lineEdit(), &QLineEdit::textChanged, this, &QWidget::updateGeometry);
    lineEdit()->installEventFilter(this);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);  // its hint is no minimum
}

void LimitField::setNames(Names names) {
    names_ = std::move(names);
}

void LimitField::setAffixes(const QString& before, const QString& behind) {
    before_ = before;
    behind_ = behind;
    setDecimals(decimals());  // writes the limit anew
}

void LimitField::setPlaceholderText(const QString& text, const QString& least) {
    lineEdit()->setPlaceholderText(text);
    least_ = least.isEmpty() ? text : least;
    updateGeometry();
}

QSize LimitField::minimumSizeHint() const {
    return sizeWith(least_);
}

QSize LimitField::sizeHint() const {
    return sizeWith(lineEdit()->placeholderText());
}

QSize LimitField::sizeWith(const QString& empty) const {
    ensurePolished();
    QStyleOptionSpinBox option;
    initStyleOption(&option);
    constexpr int caret = 6;  // with the margins of the line
    // What is being typed may be longer than what it will come to.
    const auto width = [this](const QString& text) { return fontMetrics().horizontalAdvance(text); };
    // Whether it is empty or not must not move what stands beside it.
    const int widest = std::max({width(empty), width(textFromValue(value())), width(lineEdit()->text())});
    const QSize content(widest + caret, lineEdit()->sizeHint().height());
    return style()->sizeFromContents(QStyle::CT_SpinBox, &option, content, this);
}

QString LimitField::textFromValue(double gib) const {
    if (gib == minimum()) return {};
    QString text = QDoubleSpinBox::textFromValue(gib);
    if (const QString point = locale().decimalPoint(); text.contains(point)) {
        while (text.endsWith(locale().zeroDigit())) text.chop(1);
        if (text.endsWith(point)) text.chop(point.size());
    }
    return before_ + text + behind_;
}

/// Of the text with what stands around a limit, where that still does.
ReadLimit LimitField::read(const QString& text) const {
    QString typed = text.trimmed();
    if (const QString before = before_.trimmed(); !before.isEmpty() && typed.startsWith(before))
        typed = typed.mid(before.size());
    if (const QString after = behind_.trimmed(); !after.isEmpty() && typed.endsWith(after)) typed.chop(after.size());
    if (typed.trimmed().isEmpty()) return {minimum(), {}};
    return readLimit(typed, names_ ? names_() : std::vector<NamedBytes>());
}

double LimitField::valueFromText(const QString& text) const {
    const std::optional<double> gib = read(text).gib;
    if (!gib) return value();
    // Rounded up, so that what is called by its name is within the limit.
    const double step = std::pow(10, decimals());
    return std::ceil(*gib * step - 1e-6) / step;
}

/// Any text may be on its way to a limit.
QValidator::State LimitField::validate(QString& text, int&) const {
    return read(text).gib ? QValidator::Acceptable : QValidator::Intermediate;
}

/// Called when what was typed is to count: then the field goes back to its value, which is not to be silent.
void LimitField::fixup(QString& text) const {
    const QString reason = read(text).reason;
    if (reason.isEmpty()) return;
    // Also called when it is hidden with something half typed.
    if (isVisible())
        QToolTip::showText(mapToGlobal(rect().bottomLeft()), shownName(reason), const_cast<LimitField*>(this));
    emit const_cast<LimitField*>(this)->refused(reason);
}

void LimitField::focusInEvent(QFocusEvent* event) {
    QDoubleSpinBox::focusInEvent(event);
    clicked_into_ = event->reason() == Qt::MouseFocusReason;
    const bool goes_on = event->reason() == Qt::PopupFocusReason || event->reason() == Qt::ActiveWindowFocusReason;
    if (!clicked_into_ && !goes_on) selectAll();
}

/// Beside its line, on the arrows: a later click into the line is for a place in it.
void LimitField::mousePressEvent(QMouseEvent* event) {
    clicked_into_ = false;
    QDoubleSpinBox::mousePressEvent(event);
}

/// The click that gives it the focus would put the caret there, and a drag selects as in any text.
bool LimitField::eventFilter(QObject* watched, QEvent* event) {
    const bool released = watched == lineEdit() && event->type() == QEvent::MouseButtonRelease;
    if (released && std::exchange(clicked_into_, false) && !lineEdit()->hasSelectedText()) lineEdit()->selectAll();
    return QDoubleSpinBox::eventFilter(watched, event);
}

}  // namespace overlap::ui
