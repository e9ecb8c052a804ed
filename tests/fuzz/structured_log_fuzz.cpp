// libFuzzer target: any bytes are a log that is read as far as it goes, or an InputError.
//
//     structured_log_fuzz -max_len=20000 CORPUS

#include <cstdint>

#include "core/graph/error.h"
#include "core/imports/fx_functions.h"
#include "core/imports/log_times.h"
#include "core/imports/structured_log.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace overlap;
    try {
        const std::string_view bytes(reinterpret_cast<const char*>(data), size);
        read_structured_log_text(bytes, [](const LogRecord& record) {
            find_fx_functions(record.payload);
            parse_logged_times(record.payload);
            return true;
        }).damage.sentence();
    } catch (const InputError&) {
    }
    return 0;
}
