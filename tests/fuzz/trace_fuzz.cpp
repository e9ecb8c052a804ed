// libFuzzer target: any bytes give an InputError or a trace, whose figures, clocks and timeline can be computed.
//
//     trace_fuzz -max_len=20000 CORPUS tests/data/traces

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "core/graph/error.h"
#include "core/io/trace_file.h"
#include "core/trace/collective_alignment.h"
#include "core/trace/flow_links.h"
#include "core/trace/measured_timeline.h"
#include "core/trace/trace_statistics.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace overlap;
    std::shared_ptr<const MeasuredTrace> trace;
    try {
        trace = read_trace_bytes({reinterpret_cast<const char*>(data), size}, "fuzz");
    } catch (const InputError&) {
        return 0;
    }
    device_times(*trace);
    holistic_times(*trace);
    flow_links(*trace);
    align_ranks(std::vector<std::shared_ptr<const MeasuredTrace>>{trace, trace});
    std::size_t drawn = 0;
    for (const char phase : trace->events().phase)
        drawn += phase == 'X' || phase == 'B' || phase == 'i' || phase == 'I';
    if (measured_timeline(*trace)->event_count() != drawn) std::abort();
    return 0;
}
