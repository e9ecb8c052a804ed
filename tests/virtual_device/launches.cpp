#include "tests/virtual_device/launches.h"

#include <optional>
#include <utility>

#include "tests/virtual_device/settings.h"

namespace overlap::virtual_device {

namespace {

/// Launched behind the next thing of its kind, or several, in place of before it.
struct Delayed {
    Stream* stream = nullptr;
    Work work;
    std::vector<std::uint64_t> external_ids{};  ///< of the node that it was launched for
    std::int64_t behind = 1;
};

std::optional<Delayed>& delayed_by_record() {
    static std::optional<Delayed> delayed;
    return delayed;
}

std::optional<Delayed>& delayed_by_collective() {
    static std::optional<Delayed> delayed;
    return delayed;
}

std::optional<Delayed>& delayed_by_kernel() {
    static std::optional<Delayed> delayed;
    return delayed;
}

void issue_delayed(std::optional<Delayed>& delayed) {
    if (!delayed) return;
    if (--delayed->behind > 0) return;
    const Delayed now = std::move(*delayed);
    delayed.reset();
    const std::vector<std::uint64_t> current = std::exchange(Device::get().external_ids(), now.external_ids);
    Device::get().issue(*now.stream, now.work);
    Device::get().external_ids() = current;
}

std::string kind_of(const Work& work) {
    if (work.kind == Work::Kind::collective) return "collective";
    return work.kind == Work::Kind::copy ? "copy" : "kernel";
}

/// The largest of the spans moves by `bytes`.
void shift(std::vector<Span>& spans, std::int64_t bytes) {
    Span* largest = nullptr;
    for (Span& span : spans) {
        if (!largest || span.bytes > largest->bytes) largest = &span;
    }
    if (largest) largest->address += static_cast<std::uintptr_t>(bytes);
}

void grow(std::vector<Span>& spans, std::int64_t bytes) {
    if (!spans.empty()) spans.front().bytes += bytes;
}

/// The stream that was made `distance` behind (or before) this one.
Stream& other_stream(Stream& stream, std::int64_t distance) {
    Stream* const found = Device::get().stream_at(Device::get().number_of(stream) + distance);
    return found ? *found : stream;
}

}  // namespace

void launch(Stream& stream, Work work) {
    Stream* on = &stream;
    const std::string kind = kind_of(work);
    if (change_of_this_call("drop_" + kind)) return;
    if (const Change* change = change_of_this_call("shift_read_of_" + kind)) shift(work.reads, change->amount);
    if (const Change* change = change_of_this_call("shift_write_of_" + kind)) shift(work.writes, change->amount);
    if (const Change* change = change_of_this_call("grow_read_of_" + kind)) grow(work.reads, change->amount);
    if (const Change* change = change_of_this_call("grow_write_of_" + kind)) grow(work.writes, change->amount);
    if (const Change* change = change_of_this_call("other_stream_of_" + kind)) {
        on = &other_stream(stream, change->amount);
    }
    if (change_of_this_call("late_" + kind)) {
        delayed_by_record() = Delayed{on, std::move(work), Device::get().external_ids()};
        return;
    }
    if (work.kind == Work::Kind::collective && change_of_this_call("swap_collective")) {
        delayed_by_collective() = Delayed{on, std::move(work), Device::get().external_ids()};
        return;
    }
    const bool is_collective = work.kind == Work::Kind::collective;
    if (const Change* change = is_collective ? nullptr : change_of_this_call("later_kernel")) {
        delayed_by_kernel() = Delayed{on, std::move(work), Device::get().external_ids(), change->amount};
        return;
    }
    Device::get().issue(*on, std::move(work));
    issue_delayed(is_collective ? delayed_by_collective() : delayed_by_kernel());
}

void record(Event& event, Stream& stream) {
    if (change_of_this_call("drop_record")) return;
    Stream* on = &stream;
    if (const Change* change = change_of_this_call("record_elsewhere")) on = &other_stream(stream, change->amount);
    Device::get().record(event, *on);
    issue_delayed(delayed_by_record());
}

bool wait(Event& event, Stream& stream) {
    if (change_of_this_call("drop_wait")) return true;
    if (const Change* change = change_of_this_call("wait_elsewhere")) {
        return Device::get().wait(event, other_stream(stream, change->amount));
    }
    if (const Change* change = change_of_this_call("wait_for_other")) {
        Event* const other = Device::get().event_at(Device::get().number_of(event) + change->amount);
        return Device::get().wait(other ? *other : event, stream);
    }
    return Device::get().wait(event, stream);
}

}  // namespace overlap::virtual_device
