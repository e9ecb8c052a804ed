#include "ui/widgets/limit_field.h"

#include <QFocusEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLineEdit>
#include <QRegularExpression>
#include <QStyleOptionSpinBox>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/byte_units.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/tool_tip_lines.h"

namespace overlap::ui {
namespace {

constexpr int exact_decimals = 12;  ///< of a GiB: far below a byte
constexpr double same_gib = 1e-10;
constexpr int shown_decimals = 3;

const QString gib_behind = QStringLiteral(" GiB");

// Of what was typed, in letters: sums longer than that scroll.
constexpr int letters_wanted = 40, letters_needed = 14;

/// Digits, a point and an exponent: GiB stands behind such a number, and behind no sum.
bool isPlainNumber(const QString& typed) {
    static const QRegularExpression number(QStringLiteral("^[0-9.,]+(e[+-]?[0-9]+)?$"),
                                           QRegularExpression::CaseInsensitiveOption);
    return number.match(typed).hasMatch();
}

}  // namespace

LimitField::LimitField(QWidget* parent) : QDoubleSpinBox(parent) {
    setDecimals(exact_decimals);
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
    return sizeWith(least_, letters_needed);
}

QSize LimitField::sizeHint() const {
    return sizeWith(lineEdit()->placeholderText(), letters_wanted);
}

QSize LimitField::sizeWith(const QString& empty, int most_letters) const {
    ensurePolished();
    QStyleOptionSpinBox option;
    initStyleOption(&option);
    constexpr int caret = 6;  // with the margins of the line
    const int most = most_letters * fontMetrics().averageCharWidth();
    const auto width = [this](const QString& text) { return fontMetrics().horizontalAdvance(text); };
    // Whether it is empty or not must not move what stands beside it.
    const int typed = std::min(most, std::max(width(textFromValue(value())), width(lineEdit()->text())));
    const int widest = std::max({width(empty), width(numberText(value())), typed});
    const QSize content(widest + caret, lineEdit()->sizeHint().height());
    return style()->sizeFromContents(QStyle::CT_SpinBox, &option, content, this);
}

QString LimitField::numberText(double gib) const {
    if (gib == minimum()) return {};
    // The least limits are shown with as many decimals as it takes, so that none is shown as 0.
    const bool is_seen = gib >= std::pow(10, -shown_decimals);
    QString text = locale().toString(gib, 'f', is_seen ? shown_decimals : exact_decimals);
    text.remove(locale().groupSeparator());
    if (const QString point = locale().decimalPoint(); text.contains(point)) {
        while (text.endsWith(locale().zeroDigit())) text.chop(1);
        if (text.endsWith(point)) text.chop(point.size());
    }
    return before_ + text + behind_;
}

/// Of a sum, which has units of its own.
QString LimitField::behindUnit() const {
    return behind_.startsWith(gib_behind) ? behind_.mid(gib_behind.size()) : behind_;
}

QString LimitField::textFromValue(double gib) const {
    if (gib == minimum() || !isTyped(gib, true)) return numberText(gib);
    return before_ + typed_ + (isPlainNumber(typed_) ? behind_ : behindUnit());
}

bool LimitField::isTyped(double gib, bool to_be_shown) const {
    if (typed_.isEmpty() || std::abs(gib - typed_gib_) > same_gib) return false;
    if (!to_be_shown) return true;
    const std::optional<double> now = read(typed_).gib;
    return now && std::abs(*now - typed_gib_) <= same_gib;
}

QString LimitField::typed() const {
    return isTyped(value(), false) ? typed_ : QString();
}

void LimitField::take(const QString& typed) {
    if (!read(typed).gib) return;
    setValue(valueFromText(typed));
    updateGeometry();
}

void LimitField::restore(const QString& typed, double gib) {
    typed_ = typed;
    typed_gib_ = gib;
    setValue(gib);
    updateGeometry();  // its signals may be blocked, or the value be the same
}

std::int64_t LimitField::bytes() const {
    const bool is_sum = isTyped(value(), false) && !isPlainNumber(typed_);
    return is_sum ? std::llround(value() * bytes_per_gib) : limitBytes(value());
}

void LimitField::namesChanged() {
    if (lineEdit()->isModified() && hasFocus()) return;  // something is being typed
    setDecimals(exact_decimals);                         // writes the limit anew
    updateGeometry();
}

/// The text without what stands around a limit, where that still does. A unit belongs to a sum.
QString LimitField::withoutAffixes(const QString& text) const {
    QString typed = text.trimmed();
    if (const QString before = before_.trimmed(); !before.isEmpty() && typed.startsWith(before))
        typed = typed.mid(before.size()).trimmed();
    if (const QString after = behindUnit().trimmed(); !after.isEmpty() && typed.endsWith(after))
        typed = typed.chopped(after.size()).trimmed();
    if (!behind_.startsWith(gib_behind) || !typed.endsWith(gib_behind.trimmed())) return typed;
    const QString number = typed.chopped(gib_behind.trimmed().size()).trimmed();
    return number.isEmpty() || isPlainNumber(number) ? number : typed;
}

ReadLimit LimitField::read(const QString& text) const {
    const QString typed = withoutAffixes(text);
    if (typed.isEmpty()) return {minimum(), {}};
    return readLimit(typed, names_ ? names_() : std::vector<NamedBytes>());
}

/// A sum that begins with a sign with what it counts from: `-5` is no number below 0, as one might take it for.
QString LimitField::writtenOut(const QString& typed) const {
    const QString signs = QStringLiteral("+-\u2212");
    const std::vector<NamedBytes> names = names_ ? names_() : std::vector<NamedBytes>();
    if (names.empty() || typed.isEmpty() || !signs.contains(typed.front())) return typed;
    return QStringLiteral("%1 %2 %3").arg(names.front().first, typed.first(1), typed.mid(1).trimmed());
}

double LimitField::valueFromText(const QString& text) const {
    if (text == textFromValue(value())) return value();  // which has more digits
    const std::optional<double> gib = read(text).gib;
    if (!gib) return value();
    typed_ = writtenOut(withoutAffixes(text));
    typed_gib_ = *gib;
    return *gib;
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
    if (isVisible()) showToolTip(mapToGlobal(rect().bottomLeft()), shownName(reason), const_cast<LimitField*>(this));
    refused_ = true;
    emit const_cast<LimitField*>(this)->refused(reason);
}

/// With Enter, what is no limit stays, to be mended. Who leaves the field has the former limit back.
void LimitField::keyPressEvent(QKeyEvent* event) {
    const bool enters = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    QString typed = lineEdit()->text();
    if (enters) takeBackRefusal();
    if (!enters || read(typed).gib) return QDoubleSpinBox::keyPressEvent(event);
    fixup(typed);
    event->accept();
}

void LimitField::takeBackRefusal() {
    if (refused_ && read(lineEdit()->text()).gib) {
        refused_ = false;
        emit refused({});
    }
}

void LimitField::focusOutEvent(QFocusEvent* event) {
    takeBackRefusal();
    QDoubleSpinBox::focusOutEvent(event);
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

bool LimitField::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || !isTyped(value(), true) || isPlainNumber(typed_))
        return QDoubleSpinBox::event(event);
    const QString sum = tr("%1 is %2").arg(shownName(typed_), numberText(value()).mid(before_.size()));
    showToolTip(static_cast<QHelpEvent*>(event)->globalPos(), sum + u'\n' + toolTip(), this);
    return true;
}

/// The click that gives it the focus would put the caret there, and a drag selects as in any text.
bool LimitField::eventFilter(QObject* watched, QEvent* event) {
    const bool released = watched == lineEdit() && event->type() == QEvent::MouseButtonRelease;
    if (released && std::exchange(clicked_into_, false) && !lineEdit()->hasSelectedText()) lineEdit()->selectAll();
    return QDoubleSpinBox::eventFilter(watched, event);
}

}  // namespace overlap::ui
