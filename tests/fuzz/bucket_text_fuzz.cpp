// libFuzzer target: what is typed for buckets is refused or gives entries, and each as a person would type it gives
// itself.

#include <algorithm>
#include <span>

#include "core/plan/plan.h"
#include "tests/fuzz/fuzz_target.h"

void overlap::fuzz::run(std::string_view input) {
    // A few letters may stand for so many modules, which count as if each had been typed. Long inputs get the bound
    // that people get; with it, short ones would take longer to expand than all else together.
    ExpansionBounds bounds;
    if (input.size() <= 4096) {
        bounds.most_modules = 300;
        bounds.letters = (8 << 20) - 30 * (input.size() + 100);  // fewer are left than people have
    }
    count_input(bounds.most_modules * std::string_view("layers.0,").size());
    const std::vector<BucketEntry> entries = parse_bucket_entries(input, bounds);
    // Those of one range are much alike: the first ones tell as much as all of them.
    for (const BucketEntry& entry : std::span(entries).first(std::min<std::size_t>(entries.size(), 100))) {
        for (const std::string& module : entry.modules) {
            const auto again = must_accept([&] { return parse_bucket_entries(typed_name(module)); });
            require(again.size() == 1 && again.front().modules == std::vector{module}, "a typed name is another one");
        }
    }
}
