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

/// Reads a limit: `31.5` GiB, `31.5 GiB`, `800 MiB`, `32 GB`, a name, and sums such as `baseline + 6` or `device - 2
/// GiB`. With a sign in front it is counted from the first of the names: `+6`.
ReadLimit readLimit(const QString& text, const std::vector<NamedBytes>& names);

}  // namespace overlap::ui
