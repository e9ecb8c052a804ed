#include "ui/theme/numbers.h"

#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/number_text.h"

namespace overlap::ui {
namespace {

/// What files say may be more than a std::int64_t holds.
constexpr double most_bytes = 9e18;
/// Less is written as 0 ms.
constexpr double least_time_shown_ms = 0.0005e-6;

/// A text of core's, made of a magnitude, with the sign of its number and with spaces that do not break.
QString withSign(double value, const std::string& magnitude) {
    QString text = QString::fromStdString(magnitude);
    const bool zero = text == u"0" || text.startsWith(u"0 ") || text.startsWith(u"0.0 ");
    text.replace(u' ', thinSpace);
    return value < 0 && !zero ? minusSign + text : text;
}

}  // namespace

QString formatNumber(double value) {
    return withSign(value, number_text(std::abs(value)));
}

QString withUnbrokenUnits(const QString& sentence) {
    static const QRegularExpression unit(QStringLiteral("(?<=\\d) (?=(?:s|ms|µs|ns|B|KiB|MiB|GiB|TiB|%)(?:\\W|$))"));
    return QString(sentence).replace(unit, thinSpace);
}

QString formatTime(double ms) {
    return withSign(ms, time_text(std::abs(ms)));
}

QString formatBytes(double bytes) {
    return withSign(bytes, bytes_text(std::llround(std::min(std::abs(bytes), most_bytes))));
}

QString formatPercent(double share) {
    return withSign(share, fixed_text(std::abs(share) * 100, 1) + " %");
}

QString formatCount(std::int64_t count) {
    QString digits = QString::number(count < 0 ? -count : count);
    for (qsizetype place = digits.size() - 3; place > 0; place -= 3) digits.insert(place, thinSpace);
    return count < 0 ? minusSign + digits : digits;
}

QString formatDifference(double difference, Unit unit) {
    QString text;
    double magnitude = std::abs(difference);
    if (unit == Unit::Time && magnitude < least_time_shown_ms) magnitude = 0;  // what sums in another order leave
    switch (unit) {
        case Unit::Time:
            text = formatTime(magnitude);
            break;
        case Unit::Bytes:
            text = formatBytes(magnitude);
            break;
        case Unit::Percent:
            text = formatPercent(magnitude);
            break;
        case Unit::Count:
            text = formatCount(std::llround(magnitude));
            break;
    }
    const bool zero = unit == Unit::Percent ? magnitude < 0.0005
                      : unit == Unit::Count ? std::llround(magnitude) == 0
                                            : magnitude == 0;
    if (zero) return QChar(0x00b1) + text;
    return (difference < 0 ? minusSign : QChar(QLatin1Char('+'))) + text;
}

}  // namespace overlap::ui
