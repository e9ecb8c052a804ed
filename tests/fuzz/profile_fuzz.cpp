// libFuzzer target: any bytes are refused or a profile, whose tables answer.

#include <cmath>
#include <cstdint>

#include "core/cost/profile_tables.h"
#include "core/io/profile_file.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/gzip_text.h"

void overlap::fuzz::run(std::string_view input) {
    count_gzip_text(input);
    const ProfileRecords records = read_profile_text(input, "fuzz");
    const ProfileTables tables(combine_profiles({records, records}));
    for (const ProfiledCollective& collective : records.collectives) {
        for (const std::int64_t elements : {std::int64_t{0}, std::int64_t{1} << 20, collective.output_elements}) {
            const auto time = tables.collective(collective.name, collective.ranks, elements, collective.dtype);
            require(!time || !std::isnan(time->time_ms), "a collective takes no time that is a number");
        }
    }
}
