#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace overlap::ui {

/// Bytes that a typed limit may call by a name in any letters, such as the peak of the baseline.
using NamedBytes = std::pair<QString, std::int64_t>;

/// What a typed limit means.
struct ReadLimit {
    std::optional<double> gib;  ///< nothing where it is not understood
    QString reason;             ///< why it is not, as a sentence without full stop
};

inline constexpr double most_limit_gib = 4096;

/// In bytes, what a limit of so many GiB allows: what is shown as that much is within it, though what is shown is
/// rounded.
std::int64_t limitBytes(double gib);

/// The shortest number of GiB that allows so many bytes, as limitBytes() counts them; the bytes themselves where none
/// of up to three decimals does.
double limitGib(std::int64_t bytes);

/// Reads a limit as `overlap search --memory-limit` does (core/base/limit_text.h), but for a number that stands alone,
/// which is of GiB here, and that less than a byte is no limit.
ReadLimit readLimit(const QString& text, const std::vector<NamedBytes>& names);

}  // namespace overlap::ui
