// libFuzzer target: any bytes are a log that is read as far as it goes, or refused.

#include "core/imports/fx/fx_functions.h"
#include "core/imports/log_times.h"
#include "core/imports/structured_log.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/gzip_text.h"

void overlap::fuzz::run(std::string_view input) {
    count_gzip_text(input);
    const auto visit = [](const LogRecord& record) {
        find_fx_functions(record.payload);
        parse_logged_times(record.payload);
        return true;
    };
    read_structured_log_text(input, visit).damage.sentence();
}
