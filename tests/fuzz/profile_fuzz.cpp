// libFuzzer target: any bytes give an InputError or a profile, whose tables answer.
//
//     profile_fuzz -max_len=20000 CORPUS

#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "core/cost/profile_tables.h"
#include "core/graph/error.h"
#include "core/io/profile_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace overlap;
    ProfileRecords records;
    try {
        records = read_profile_text({reinterpret_cast<const char*>(data), size}, "fuzz");
    } catch (const InputError&) {
        return 0;
    }
    const ProfileTables tables(combine_profiles({records, records}));
    for (const ProfiledCollective& collective : records.collectives) {
        for (const std::int64_t elements : {std::int64_t{0}, std::int64_t{1} << 20, collective.output_elements}) {
            const auto time = tables.collective(collective.name, collective.ranks, elements, collective.dtype);
            if (time && std::isnan(time->time_ms)) std::abort();
        }
    }
    return 0;
}
