#pragma once

#include <memory>
#include <string>
#include <utility>

#include "core/trace/measured_trace_builder.h"

namespace overlap::test {

/// Writes down a measured trace event by event. Times are in microseconds, as in the files.
class TraceSketch {
  public:
    static constexpr std::int64_t us = 1'000;

    /// A kernel on a stream of GPU 0, launched by a call that begins at `launch_us`. @return number of the kernel.
    std::uint32_t kernel(const std::string& name, const std::string& stream, std::int64_t start_us,
                         std::int64_t duration_us, std::int64_t launch_us = 0) {
        const std::int64_t correlation = ++correlation_;
        TraceEvent call = event("cuda_runtime", "cudaLaunchKernel", launch_us, 1);
        call.correlation = correlation;
        builder.add(call);
        return unlaunched("kernel", name, stream, start_us, duration_us, correlation);
    }

    /// An event of a GPU without the call that launched it.
    std::uint32_t unlaunched(const std::string& category, const std::string& name, const std::string& stream,
                             std::int64_t start_us, std::int64_t duration_us, std::int64_t correlation = no_id) {
        TraceEvent made = event(category, name, start_us, duration_us);
        made.process = device;
        made.thread = stream;
        made.has_stream = true;
        made.correlation = correlation;
        builder.add(made);
        return builder.size() - 1;
    }

    /// A kernel of a collective that says its group and sizes. @param sequence `Seq`, or no_id.
    std::uint32_t collective(const std::string& kind, const std::string& group, std::int64_t start_us,
                             std::int64_t duration_us, std::int64_t elements = 1024, std::int64_t sequence = no_id) {
        TraceEvent made = event("kernel", "ncclDevKernel_Generic", start_us, duration_us);
        made.process = device;
        made.thread = "20";
        made.has_stream = true;
        CollectiveArguments& arguments = made.collective.emplace();
        arguments.name = builder.intern(kind);
        arguments.dtype = builder.intern("Float");
        arguments.group_name = builder.intern(group);
        arguments.group_ranks = builder.intern("[0, 1]");
        arguments.input_elements = arguments.output_elements = elements;
        arguments.sequence = sequence;
        builder.add(made);
        return builder.size() - 1;
    }

    void step(std::int64_t number, std::int64_t start_us, std::int64_t duration_us) {
        name_ = "ProfilerStep#" + std::to_string(number);
        builder.add(event("user_annotation", name_, start_us, duration_us));
    }

    /// An event that lasts, on the host's thread.
    static TraceEvent event(std::string_view category, std::string_view name, std::int64_t start_us,
                            std::int64_t duration_us) {
        TraceEvent made;
        made.phase = 'X';
        made.category = category;
        made.name = name;
        made.process = "100";
        made.thread = "101";
        made.start_ns = start_us * us;
        made.duration_ns = duration_us * us;
        return made;
    }

    std::shared_ptr<const MeasuredTrace> finish(TraceHeader header = {}) { return builder.finish(std::move(header)); }

    MeasuredTraceBuilder builder;
    std::string device = "0";

  private:
    std::string name_;
    std::int64_t correlation_ = 0;
};

}  // namespace overlap::test
