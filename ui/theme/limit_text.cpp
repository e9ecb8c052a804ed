#include "ui/theme/limit_text.h"

#include <QCoreApplication>
#include <QLocale>
#include <QRegularExpression>
#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/byte_units.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {
namespace {

struct NamedUnit {
    const char* name;
    double bytes;
};
constexpr std::array units{NamedUnit{"", bytes_per_gib},
                           NamedUnit{"b", 1},
                           NamedUnit{"kib", 1024},
                           NamedUnit{"mib", bytes_per_mib},
                           NamedUnit{"gib", bytes_per_gib},
                           NamedUnit{"tib", bytes_per_gib * 1024},
                           NamedUnit{"kb", 1e3},
                           NamedUnit{"mb", 1e6},
                           NamedUnit{"gb", 1e9},
                           NamedUnit{"tb", 1e12}};

QString translated(const char* text) {
    return QCoreApplication::translate("LimitField", text);
}

QString namesOf(const std::vector<NamedBytes>& names) {
    QStringList all;
    for (const NamedBytes& name : names) all.append(name.first);
    return all.join(QStringLiteral(", "));
}

/// One summand without its sign.
/// @returns bytes; nothing where it is not understood, with the reason.
std::optional<double> readTerm(const QString& term, const std::vector<NamedBytes>& names, QString& reason) {
    const auto named =
        std::ranges::find_if(names, [&](const NamedBytes& each) { return each.first.toLower() == term; });
    if (named != names.end()) return static_cast<double>(named->second);
    static const QRegularExpression number(QStringLiteral("^([0-9]*[.,]?[0-9]+|[0-9]+[.,])\\s*([a-z]*)$"));
    const auto match = number.match(term);
    if (!match.hasMatch()) {
        reason = term.isEmpty() ? translated("Something is missing beside + or -")
                 : names.empty()
                     ? translated("“%1” is no number of GiB").arg(term)
                     : translated("“%1” is neither a number of GiB nor one of %2").arg(term, namesOf(names));
        return std::nullopt;
    }
    const QString unit_name = match.captured(2);
    const auto unit =
        std::ranges::find_if(units, [&](const NamedUnit& each) { return unit_name == QLatin1String(each.name); });
    if (unit == units.end()) {
        reason = translated("“%1” is not a unit of memory; use MiB, GiB, TiB, MB, GB or TB").arg(unit_name);
        return std::nullopt;
    }
    return QLocale::c().toDouble(match.captured(1).replace(u',', u'.')) * unit->bytes;
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
    QString sum = text.simplified().toLower();
    sum.replace(QChar(0x2212), u'-');
    if (sum.startsWith(u'≤')) sum = sum.mid(1).trimmed();
    ReadLimit read;
    double bytes = 0, sign = 1;
    if (sum.startsWith(u'+') || sum.startsWith(u'-')) {
        if (names.empty()) {
            read.reason = translated("There is nothing to count “%1” from").arg(sum);
            return read;
        }
        bytes = static_cast<double>(names.front().second);
        sign = sum.startsWith(u'-') ? -1 : 1;
        sum.remove(0, 1);
    }
    for (qsizetype begin = 0; begin <= sum.size();) {
        static const QRegularExpression signs(QStringLiteral("[+-]"));
        const qsizetype next = sum.indexOf(signs, begin);
        const qsizetype end = next < 0 ? sum.size() : next;
        const auto term = readTerm(sum.mid(begin, end - begin).trimmed(), names, read.reason);
        if (!term) return read;
        bytes += sign * *term;
        if (next < 0) break;
        sign = sum[next] == u'-' ? -1 : 1;
        begin = next + 1;
    }
    if (bytes < 0) {
        read.reason = translated("“%1” is below 0").arg(text.simplified());
        return read;
    }
    if (bytes > most_limit_gib * bytes_per_gib)
        read.reason =
            translated("“%1” is more than %2").arg(text.simplified(), formatBytes(most_limit_gib * bytes_per_gib));
    else
        read.gib = bytes / bytes_per_gib;
    return read;
}

}  // namespace overlap::ui
