// reading_probe trace|graph FILE: reads a file as the window does, on a thread of its own, and cancels it at several
// moments. Prints one JSON object, in milliseconds: how long reading takes, of a trace the longest time without a word
// of progress, and the longest from asking to stop until the reader has returned, and with it all of its memory.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <future>
#include <iostream>
#include <string>
#include <string_view>
#include <thread>

#include "core/io/graph_file.h"
#include "core/io/trace_file.h"

namespace {

using namespace overlap;
using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

/// Reads a file to its end or until it is stopped, and says what it has got.
using Reader = std::function<bool(std::stop_token stop, const std::function<void()>& progressed)>;

Reader reader_of(std::string_view kind, const std::string& file) {
    if (kind == "trace") {
        return [file](std::stop_token stop, const std::function<void()>& progressed) {
            const auto told = [&](std::uint64_t, std::uint64_t) { progressed(); };
            return read_trace_file(file, {.stop = stop, .progress = told}) != nullptr;
        };
    }
    return [file](std::stop_token stop, const std::function<void()>& progressed) {
        return read_graph_file(file, {stop, [&](double) { progressed(); }}) != nullptr;
    };
}

/// How long reading takes, and the longest time within it without a word of progress.
struct WholeReading {
    double ms = 0, longest_silence_ms = 0;
};

WholeReading read_whole(const Reader& read) {
    WholeReading whole;
    const auto begin = Clock::now();
    auto last = begin;
    const auto progressed = [&] {
        whole.longest_silence_ms = std::max(whole.longest_silence_ms, ms_since(last));
        last = Clock::now();
    };
    read({}, progressed);
    progressed();
    whole.ms = ms_since(begin);
    return whole;
}

/// Time from the request to stop until the reader has returned.
double cancel_after(const Reader& read, double wait_ms) {
    std::stop_source stop;
    auto reading = std::async(std::launch::async, [&] { return read(stop.get_token(), [] {}); });
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(wait_ms));
    const auto asked = Clock::now();
    stop.request_stop();
    reading.get();
    return ms_since(asked);
}

}  // namespace

int main(int argument_count, char** arguments) {
    const std::string_view kind = argument_count == 3 ? arguments[1] : "";
    if (kind != "trace" && kind != "graph") {
        std::cerr << "usage: reading_probe trace|graph FILE\n";
        return 2;
    }
    try {
        const Reader read = reader_of(kind, arguments[2]);
        const WholeReading whole = read_whole(read);
        double slowest_cancel_ms = 0;
        constexpr int moments = 12;
        for (int moment = 0; moment < moments; ++moment) {
            slowest_cancel_ms = std::max(slowest_cancel_ms, cancel_after(read, whole.ms * (moment + 0.5) / moments));
        }
        std::printf("{\"read_ms\": %.1f, ", whole.ms);
        if (kind == "trace") std::printf("\"longest_silence_ms\": %.1f, ", whole.longest_silence_ms);
        std::printf("\"slowest_return_ms\": %.1f}\n", slowest_cancel_ms);
    } catch (const std::exception& failure) {
        std::cerr << "reading_probe: " << failure.what() << '\n';
        return 1;
    }
    return 0;
}
