// libFuzzer target: any bytes are refused or a trace, whose figures, clocks and timeline can be computed.

#include <memory>
#include <vector>

#include "core/io/trace_file.h"
#include "core/trace/collective_alignment.h"
#include "core/trace/measured_timeline.h"
#include "core/trace/trace_statistics.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/gzip_text.h"

void overlap::fuzz::run(std::string_view input) {
    count_gzip_text(input);
    const std::shared_ptr<const MeasuredTrace> trace = read_trace_bytes(input, "fuzz");
    device_times(*trace);
    holistic_times(*trace);
    align_ranks(std::vector<std::shared_ptr<const MeasuredTrace>>{trace, trace});
    std::size_t drawn = 0;
    for (const char phase : trace->events().phase) {
        drawn += phase == 'X' || phase == 'B' || phase == 'i' || phase == 'I';
    }
    require(measured_timeline(*trace)->event_count() == drawn, "the timeline has another number of events");
}
