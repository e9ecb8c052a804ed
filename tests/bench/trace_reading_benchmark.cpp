// Reading a trace of millions of events: megabytes of JSON a second, and bytes kept an event.
//
// The trace is a real one, written again and again with times and correlations moved on, until it has EVENTS events:
//     EVENTS=4000000 trace_reading_benchmark

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/files/atomic_file.h"
#include "core/files/json_bytes.h"
#include "core/files/json_output.h"
#include "core/files/json_scan.h"
#include "core/io/trace_file.h"
#include "core/trace/measured_timeline.h"
#include "core/trace/trace_statistics.h"

namespace {

using namespace overlap;

/// Entries of `traceEvents` of a document, as text.
std::vector<std::string_view> entries_of(std::string_view document) {
    constexpr std::string_view key = "\"traceEvents\": [";
    std::string_view rest = document.substr(document.find(key) + key.size());
    std::vector<std::string_view> entries;
    while (true) {
        rest.remove_prefix(rest.find('{'));
        const std::size_t end = json_value_end(rest);
        entries.push_back(rest.substr(0, end));
        rest.remove_prefix(end);
        if (rest[rest.find_first_of(",]")] == ']') return entries;
    }
}

/// Appends `entry` with `shift` added to the integer behind each of the keys.
void append_shifted(std::string& text, std::string_view entry, std::int64_t shift_us, std::int64_t shift_id) {
    static constexpr std::pair<std::string_view, bool> keys[] = {
        {"\"ts\": ", true}, {"\"id\": ", false}, {"\"correlation\": ", false}, {"\"External id\": ", false}};
    std::size_t copied = 0;
    for (std::size_t at = entry.find('"'); at != std::string_view::npos; at = entry.find('"', at + 1)) {
        for (const auto& [key, is_time] : keys) {
            if (!entry.substr(at).starts_with(key)) continue;
            const std::size_t digits = at + key.size();
            std::int64_t number = 0;
            const char* end = std::from_chars(entry.data() + digits, entry.data() + entry.size(), number).ptr;
            text += entry.substr(copied, digits - copied);
            text += std::to_string(number + (is_time ? shift_us : shift_id));
            copied = static_cast<std::size_t>(end - entry.data());
        }
    }
    text += entry.substr(copied);
}

/// The trace as text. @param events at least so many.
std::string long_trace(std::size_t events) {
    const auto bytes = read_json_file(OVERLAP_TEST_DATA "/traces/hta_nccl_data.json.gz");
    const std::vector<std::string_view> entries = entries_of(bytes->view());
    std::string text = "{\"schemaVersion\": 1, \"traceEvents\": [\n";
    for (std::size_t copy = 0; copy * entries.size() < events; ++copy) {
        for (const std::string_view entry : entries) {
            if (text.back() == '}') text += ",\n  ";
            append_shifted(text, entry, static_cast<std::int64_t>(copy) * 700'000,
                           static_cast<std::int64_t>(copy) * 100'000);
        }
    }
    return text += "\n], \"baseTimeNanoseconds\": 1711964646000000000}";
}

/// The long trace on disk, plain and gzip, for as long as the program runs.
class LongTrace {
  public:
    LongTrace() {
        const char* wanted = std::getenv("EVENTS");
        const std::string text = long_trace(wanted ? std::strtoull(wanted, nullptr, 10) : 2'000'000);
        bytes_ = text.size();
        folder_ = std::filesystem::temp_directory_path() / ("overlap-traces-" + std::to_string(getpid()));
        std::filesystem::create_directory(folder_);
        write_file_atomically(plain(), text);
        write_file_atomically(gzip(), gzip_compressed(text));
    }
    ~LongTrace() { std::filesystem::remove_all(folder_); }
    LongTrace(const LongTrace&) = delete;
    LongTrace& operator=(const LongTrace&) = delete;

    std::string plain() const { return folder_ / "trace.json"; }
    std::string gzip() const { return folder_ / "trace.json.gz"; }
    std::size_t bytes() const { return bytes_; }

  private:
    std::filesystem::path folder_;
    std::size_t bytes_ = 0;
};

void read(benchmark::State& state, const std::string& path, std::size_t bytes) {
    std::shared_ptr<const MeasuredTrace> trace;
    for (auto _ : state) {
        trace.reset();
        trace = read_trace_file(path);
    }
    const double events = trace->events().size();
    state.SetBytesProcessed(static_cast<std::int64_t>(bytes * state.iterations()));
    state.counters["events"] = events;
    state.counters["bytes_per_event"] = static_cast<double>(trace->bytes_kept()) / events;
    state.counters["MB_per_s"] =
        benchmark::Counter(static_cast<double>(bytes) / 1e6, benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace

int main(int argument_count, char** arguments) {
    benchmark::Initialize(&argument_count, arguments);
    const LongTrace file;
    const auto trace = read_trace_file(file.plain());
    const auto register_one = [](const char* name, auto body) {
        benchmark::RegisterBenchmark(name, body)->Unit(benchmark::kMillisecond);
    };
    register_one("read_plain", [&](benchmark::State& state) { read(state, file.plain(), file.bytes()); });
    register_one("read_gzip", [&](benchmark::State& state) { read(state, file.gzip(), file.bytes()); });
    register_one("device_times", [&](benchmark::State& state) {
        for (auto _ : state) benchmark::DoNotOptimize(device_times(*trace));
    });
    register_one("measured_timeline", [&](benchmark::State& state) {
        for (auto _ : state) benchmark::DoNotOptimize(measured_timeline(*trace));
    });
    benchmark::RunSpecifiedBenchmarks();
}
