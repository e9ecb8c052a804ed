#include "core/run/move_launches.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace overlap {

namespace {

std::vector<PoolSpan> whole_words_of(const std::vector<PoolSpan>& spans) {
    std::vector<PoolSpan> whole;
    for (const PoolSpan& span : spans) {
        if (const std::optional<PoolSpan> words = whole_words(span)) whole.push_back(*words);
    }
    return whole;
}

std::int64_t share(std::int64_t bytes, std::int64_t part, std::int64_t whole) {
    if (whole <= 0) return 0;
    return std::llround(static_cast<double>(bytes) * static_cast<double>(part) / static_cast<double>(whole));
}

std::int64_t bytes_of(const std::vector<PoolSpan>& spans) {
    return std::accumulate(spans.begin(), spans.end(), std::int64_t{0},
                           [](std::int64_t bytes, const PoolSpan& span) { return bytes + span.bytes; });
}

}  // namespace

std::optional<PoolSpan> whole_words(const PoolSpan& span) {
    constexpr std::int64_t word = 16;
    const std::int64_t skipped = (word - span.offset % word) % word;
    if (span.bytes < skipped + word) return std::nullopt;
    return PoolSpan{span.offset + skipped, span.bytes - skipped};
}

std::vector<MoveLaunch> move_launches(const ComputeWork& work, const Operands& places, std::size_t most_spans) {
    std::vector<MoveLaunch> launches;
    if (places.inputs.empty() && places.outputs.empty()) return launches;
    const std::vector<PoolSpan> inputs = whole_words_of(longest_spans(places.inputs, most_spans));
    const std::size_t all = places.outputs.size();
    std::int64_t read = 0, written = 0;
    for (std::size_t first = 0; first == 0 || first < all; first += most_spans) {
        const std::size_t end = std::min(first + most_spans, all);
        MoveLaunch launch{inputs, whole_words_of({places.outputs.begin() + static_cast<std::ptrdiff_t>(first),
                                                  places.outputs.begin() + static_cast<std::ptrdiff_t>(end)})};
        // The last one takes what is left.
        const bool last = end == all;
        const std::int64_t left = work.written_bytes - written;
        launch.written_bytes = last ? left : std::min(left, bytes_of(launch.outputs));
        launch.read_bytes =
            last ? work.read_bytes - read : share(work.read_bytes, launch.written_bytes, work.written_bytes);
        written += launch.written_bytes;
        read += launch.read_bytes;
        launches.push_back(std::move(launch));
    }
    return launches;
}

}  // namespace overlap
