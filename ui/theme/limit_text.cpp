#include "ui/theme/limit_text.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "core/base/byte_units.h"
#include "core/base/limit_text.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {
namespace {

QString translated(const char* text) {
    return QCoreApplication::translate("LimitField", text);
}

}  // namespace

std::int64_t limitBytes(double gib) {
    constexpr double mib_until = 999.95 / 1024, tib_from = 999.95;
    double shown = gib;
    if (gib >= mib_until && gib < tib_from) {
        const double step = gib < 9.9995 ? 1e-3 : gib < 99.995 ? 1e-2 : 1e-1;  // see number_text()
        shown = (std::floor(gib / step + 1e-6) + 0.5) * step;
    }
    return std::llround(std::max(gib * bytes_per_gib, shown * bytes_per_gib - (shown > gib ? 1 : 0)));
}

double limitGib(std::int64_t bytes) {
    const double gib = static_cast<double>(bytes) / bytes_per_gib;
    for (const double steps : {1.0, 1e1, 1e2, 1e3}) {
        const double shown = std::floor(gib * steps) / steps;
        if (limitBytes(shown) == bytes) return shown;
    }
    return gib;
}

ReadLimit readLimit(const QString& text, const std::vector<NamedBytes>& names) {
    QString typed = text.simplified();
    typed.replace(QChar(0x2212), u'-');
    if (typed.startsWith(u'≤')) typed = typed.mid(1).trimmed();
    std::vector<NamedLimit> named;
    for (const auto& [name, bytes] : names) named.emplace_back(name.toLower().toStdString(), bytes);
    const LimitText limit = read_limit(typed.toStdString(), named, bytes_per_gib);
    if (!limit.bytes) {
        QString reason = QString::fromStdString(limit.reason);
        if (!reason.isEmpty()) reason[0] = reason[0].toUpper();
        return {std::nullopt, reason};
    }
    if (*limit.bytes > most_limit_gib * bytes_per_gib)
        return {std::nullopt,
                translated("“%1” is more than %2").arg(text.simplified(), formatBytes(most_limit_gib * bytes_per_gib))};
    // Fields are at 0 where they are empty, which is no limit.
    if (*limit.bytes < 1) return {std::nullopt, translated("“%1” leaves nothing").arg(text.simplified())};
    return {*limit.bytes / bytes_per_gib, {}};
}

}  // namespace overlap::ui
