#include "core/measure/sequence_alignment.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/error.h"

namespace overlap {

namespace {

enum class Step : std::uint8_t { pair, skip_a, skip_b };

/// What one point of fit counts against distances, of which each is 1 at most.
constexpr double worth_of_fit = 1e6;
/// The most cells of the table, one byte each.
constexpr std::size_t most_cells = std::size_t{1} << 28;

}  // namespace

int fit_of(const SequenceItem& a, const SequenceItem& b) {
    constexpr int exact = 3, with_unknowns = 2;
    const bool kind_is_unknown = a.kind == CollectiveKind::none || b.kind == CollectiveKind::none;
    if (!kind_is_unknown && a.kind != b.kind) return 0;
    const bool bytes_are_unknown = a.bytes == 0 || b.bytes == 0;
    if (a.bytes == b.bytes && !bytes_are_unknown) return kind_is_unknown ? with_unknowns : exact;
    return bytes_are_unknown || a.kind == CollectiveKind::all_to_all ? with_unknowns : 0;
}

SequenceAlignment align_sequences(std::span<const SequenceItem> a, std::span<const SequenceItem> b) {
    const std::size_t width = b.size() + 1;
    if ((a.size() + 1) > most_cells / width) {
        throw InputError("", std::to_string(a.size()) + " planned and " + std::to_string(b.size()) +
                                 " measured collectives of one process group are too many to match in one step");
    }
    std::vector<Step> steps((a.size() + 1) * width, Step::skip_b);
    std::vector<double> above(width), row(width);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = 0;
        steps[i * width] = Step::skip_a;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            Step& step = steps[i * width + j];
            row[j] = row[j - 1];
            if (above[j] > row[j]) {
                row[j] = above[j];
                step = Step::skip_a;
            }
            const int fit = fit_of(a[i - 1], b[j - 1]);
            if (fit == 0) continue;
            const double paired =
                above[j - 1] + worth_of_fit * fit - std::min(1.0, std::abs(a[i - 1].place - b[j - 1].place));
            if (paired > row[j]) {
                row[j] = paired;
                step = Step::pair;
            }
        }
        std::swap(above, row);
    }
    SequenceAlignment alignment;
    alignment.worth = above[b.size()];
    std::size_t i = a.size(), j = b.size();
    while (i > 0 && j > 0) {
        const Step step = steps[i * width + j];
        if (step == Step::pair) alignment.pairs.emplace_back(i - 1, j - 1);
        if (step != Step::skip_b) --i;
        if (step != Step::skip_a) --j;
    }
    std::reverse(alignment.pairs.begin(), alignment.pairs.end());
    return alignment;
}

}  // namespace overlap
