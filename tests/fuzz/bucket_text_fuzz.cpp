// libFuzzer target: what is typed for buckets is refused or gives entries, and each as a person would type it gives
// itself.

#include "core/plan/plan.h"
#include "tests/fuzz/fuzz_target.h"

void overlap::fuzz::run(std::string_view input) {
    for (const BucketEntry& entry : parse_bucket_entries(input)) {
        for (const std::string& module : entry.modules) {
            const auto again = parse_bucket_entries(typed_name(module));
            require(again.size() == 1 && again.front().modules == std::vector{module}, "a typed name is another one");
        }
    }
}
