#include "ui/theme/times_apart.h"

#include <cmath>
#include <vector>

#include "core/base/number_text.h"
#include "core/base/times_apart.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {

QStringList formatTimesApart(std::span<const double> times_ms) {
    std::vector<double> magnitudes;
    for (const double ms : times_ms) magnitudes.push_back(std::abs(ms));
    QStringList texts;
    for (const std::string& text : times_apart(magnitudes)) {
        const double ms = times_ms[static_cast<std::size_t>(texts.size())];
        const QString sign = ms < 0 && !text.starts_with("0 ") ? QString(minusSign) : QString();
        texts.append(sign + QString::fromStdString(text).replace(u' ', thinSpace));
    }
    return texts;
}

QString formatExactTime(double ms) {
    const QString sign = ms < 0 ? QString(minusSign) : QString();
    return sign + QString::fromStdString(milliseconds_text(std::abs(ms))).replace(u' ', thinSpace);
}

}  // namespace overlap::ui
