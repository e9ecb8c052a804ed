#include "tests/virtual_device/device.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iostream>
#include <thread>
#include <utility>

#include "tests/virtual_device/findings.h"
#include "tests/virtual_device/settings.h"

namespace overlap::virtual_device {

namespace {

/// No address of a process: what the host reads there by mistake ends it.
constexpr std::uintptr_t first_address = std::uintptr_t{1} << 56;
/// Between allocations, so that what runs over the end of one is in no other.
constexpr std::uintptr_t gap_bytes = std::uintptr_t{2} << 20;

std::string spans_json(const MemoryChecker& memory, const std::vector<Span>& spans,
                       const std::vector<std::vector<std::uint32_t>>* writers) {
    std::string json = "[";
    for (std::size_t index = 0; index < spans.size(); ++index) {
        if (index > 0) json += ',';
        json.append("[").append(std::to_string(memory.allocation_of(spans[index].address)));
        json.append(",").append(std::to_string(memory.offset_of(spans[index].address)));
        json.append(",").append(std::to_string(spans[index].bytes));
        if (writers) {
            json += ",[";
            for (std::size_t writer = 0; writer < (*writers)[index].size(); ++writer) {
                if (writer > 0) json += ',';
                json += std::to_string((*writers)[index][writer]);
            }
            json += ']';
        }
        json += ']';
    }
    return json + ']';
}

bool runs(const Work& work) {
    return work.kind != Work::Kind::record && work.kind != Work::Kind::wait;
}

}  // namespace

std::string name_of(std::uint32_t operation) {
    return Device::get().name_of(operation);
}

Device& Device::get() {
    static Device device;
    return device;
}

Device::Device() {
    next_address_ = first_address;
    operations_.emplace_back();  // 0 is none
    settings();                  // lives longer than the device
    streams_.push_back({make_lane(stream_numbers_++), nullptr});
    stream_handles_[nullptr] = &streams_.front();
}

Device::~Device() {
    const auto left = [](std::size_t count, const char* what) {
        if (count > 0) report("not_given_back", std::to_string(count) + " " + what + " at the end of the process");
    };
    left(allocations_.size(), "allocations");
    left(stream_handles_.size() - 1, "streams");
    left(events_.size(), "events");
    left(graphs_.size(), "CUDA graphs");
}

std::string Device::name_of(std::uint32_t operation) const {
    const Operation& found = operations_[operation];
    return found.name + " (launch " + std::to_string(operation) + " on stream " + std::to_string(found.stream) +
           (found.node < 0 ? std::string() : ", node " + std::to_string(found.node)) + ")";
}

std::int64_t Device::free_bytes() const {
    return settings().memory_bytes - allocated_bytes_;
}

std::uintptr_t Device::allocate(std::int64_t bytes) {
    if (bytes > free_bytes()) return 0;
    allocated_bytes_ += bytes;
    return new_allocation({bytes, false});
}

std::uintptr_t Device::allocate_on_host(std::int64_t bytes) {
    return new_allocation({bytes, true});
}

std::uintptr_t Device::new_allocation(Allocation allocation) {
    const std::uintptr_t address = next_address_;
    next_address_ +=
        (static_cast<std::uintptr_t>(allocation.bytes) + gap_bytes - 1) / gap_bytes * gap_bytes + gap_bytes;
    const Change* const shorter = change_of_this_call("short_allocation");
    memory_.add(address, shorter ? allocation.bytes - shorter->amount : allocation.bytes);
    allocations_[address] = allocation;
    return address;
}

void Device::give_back(std::uintptr_t address) {
    const auto found = allocations_.find(address);
    if (found == allocations_.end()) {
        report("stale_handle", "memory is given back that was not allocated");
        return;
    }
    memory_.remove(address, host_ended_);
    if (!found->second.on_host) allocated_bytes_ -= found->second.bytes;
    allocations_.erase(found);
}

std::uint32_t Device::make_lane(std::uint32_t number) {
    lanes_.emplace_back();
    lanes_.back().number = number;
    return static_cast<std::uint32_t>(lanes_.size() - 1);
}

Stream* Device::make_stream() {
    streams_.push_back({make_lane(stream_numbers_++), nullptr});
    stream_handles_[&streams_.back()] = &streams_.back();
    return &streams_.back();
}

void Device::end_stream(Stream* stream) {
    stream_handles_.erase(stream);
}

Stream* Device::stream_of(const void* handle) {
    const auto found = stream_handles_.find(handle);
    if (found != stream_handles_.end()) return found->second;
    report("stale_handle", "a stream is used that does not exist");
    return nullptr;
}

Event* Device::make_event(bool timing) {
    return *events_.insert(new Event{timing, events_made_++, nullptr}).first;
}

Stream* Device::stream_at(std::int64_t number) {
    for (const auto& [unused, stream] : stream_handles_) {
        if (number_of(*stream) == number) return stream;
    }
    return nullptr;
}

Event* Device::event_at(std::int64_t number) {
    const auto found =
        std::find_if(events_.begin(), events_.end(), [&](const Event* event) { return event->number == number; });
    return found == events_.end() ? nullptr : *found;
}

void Device::end_event(Event* event) {
    if (events_.erase(event) > 0) delete event;
}

void Device::issue(Stream& stream, Work work) {
    if (stream.capture) {
        capture_work(stream, std::move(work));
    } else {
        issue_on(stream.lane, std::move(work));
    }
}

void Device::issue_on(std::uint32_t lane_index, Work work) {
    Lane& lane = lanes_[lane_index];
    lane.ended.join(host_ended_);
    Issued issued;
    issued.lane = lane_index;
    issued.issued_ns = host_ns_;
    if (work.kind == Work::Kind::wait) {
        lane.ended.join(work.point->ended);
    } else if (work.kind == Work::Kind::record) {
        work.point->ended = lane.ended;
    } else {
        issued.operation = static_cast<std::uint32_t>(operations_.size());
        issued.correlation = ++correlation_;
        issued.recorded = recording;
        const std::int64_t node = external_ids_.empty() ? -1 : static_cast<std::int64_t>(external_ids_.back());
        operations_.push_back({work.name, lane.number, node});
        if (recording && node >= 0) correlations_.emplace_back(correlation_, external_ids_.back());
        check_accesses(lane_index, work, issued.operation);
        if (work.meeting) number(*work.meeting);
    }
    ++lane.waiting;
    issued.work = std::move(work);
    issued_.push_back(std::move(issued));
    if (issued_.size() > 256) progress();
}

/// Which collective of its communicator it is, and what the other ranks are told of it.
void Device::number(Meeting& meeting) {
    const std::uint64_t launched = ++collectives_;
    if (launched == settings().dies_at) std::raise(SIGKILL);
    meeting.silent = settings().silent_from > 0 && launched >= settings().silent_from;
    for (const std::shared_ptr<Communicator>& other : communicators_) {
        if (other != meeting.communicator) meeting.mine.before.push_back({other->place->id(), other->launched});
    }
    meeting.collective = meeting.communicator->launched++;
}

void Device::check_accesses(std::uint32_t lane_index, const Work& work, std::uint32_t operation) {
    Lane& lane = lanes_[lane_index];
    // What starts behind it on its own lane is ordered; it itself is ordered behind everything before it.
    const VectorClock before = lane.ended;
    const Access access{operation, lane_index, lane.ended.advance(lane_index)};
    std::vector<std::vector<std::uint32_t>> writers;
    for (const Span& span : work.reads) writers.push_back(memory_.read(span, access, before));
    for (const Span& span : work.writes) memory_.write(span, access, before);
    if (!logs()) return;
    log_line("{\"launch\":" + std::to_string(operation) + ",\"node\":" + std::to_string(operations_[operation].node) +
             ",\"stream\":" + std::to_string(lane.number) + ",\"name\":" + json_text(work.name) +
             ",\"reads\":" + spans_json(memory_, work.reads, &writers) +
             ",\"writes\":" + spans_json(memory_, work.writes, nullptr) + "}");
}

void Device::record(Event& event, Stream& stream) {
    event.last = std::make_shared<RecordPoint>();
    event.last->capture = stream.capture;
    Work work;
    work.kind = Work::Kind::record;
    work.point = event.last;
    issue(stream, std::move(work));
}

bool Device::wait(Event& event, Stream& stream) {
    if (!event.last) {
        report("never_recorded", "a stream waits for an event that was never recorded, which holds nothing");
        return true;
    }
    Capture* const capture = event.last->capture;
    if (capture && !captures_.contains(capture)) {
        report("capture", "a stream waits for an event that was recorded in a capture which has ended");
        if (stream.capture) stream.capture->broken = true;
        return false;
    }
    if (stream.capture && !capture) {
        report("capture", "a stream that is captured waits for an event that was recorded outside of the capture");
        stream.capture->broken = true;
        return false;
    }
    if (capture && stream.capture && stream.capture != capture) {
        report("capture", "a stream waits for an event of another capture");
        return false;
    }
    if (capture) stream.capture = capture;  // it takes part from here on
    Work work;
    work.kind = Work::Kind::wait;
    work.point = event.last;
    issue(stream, std::move(work));
    return true;
}

/// In the order of issue; what waits for something whose time is not known holds its lane.
void Device::progress() {
    std::vector<bool> held(lanes_.size());
    for (auto issued = issued_.begin(); issued != issued_.end();) {
        if (held[issued->lane] || !resolve(*issued)) {
            held[issued->lane] = true;
            ++issued;
        } else {
            --lanes_[issued->lane].waiting;
            issued = issued_.erase(issued);
        }
    }
}

/// @returns whether the time of it is known now.
bool Device::resolve(Issued& issued) {
    Lane& lane = lanes_[issued.lane];
    Work& work = issued.work;
    const std::int64_t ready_ns = std::max(lane.free_ns, issued.issued_ns);
    switch (work.kind) {
        case Work::Kind::record:
            work.point->time_ns = ready_ns;
            work.point->passed = true;
            break;
        case Work::Kind::wait:
            if (!work.point->passed) return false;
            lane.free_ns = std::max(lane.free_ns, work.point->time_ns);
            break;
        case Work::Kind::collective:
            if (!meet(issued, ready_ns)) return false;
            break;
        case Work::Kind::kernel:
        case Work::Kind::memset:
        case Work::Kind::copy:
            lane.free_ns = ready_ns + work.duration_ns;
            break;
    }
    if (issued.recorded && runs(work)) {
        activities_.push_back({work.kind, work.name, issued.correlation, lane.number, ready_ns, lane.free_ns});
    }
    return true;
}

/// A rank's kernel runs from when its stream has come to it, and ends when all ranks' have moved their data.
bool Device::meet(Issued& issued, std::int64_t ready_ns) {
    Meeting& meeting = *issued.work.meeting;
    Lane& lane = lanes_[issued.lane];
    if (meeting.communicator->aborted) {
        lane.free_ns = ready_ns;
        return true;
    }
    MeetingPlace& place = *meeting.communicator->place;
    if (!meeting.arrived && !meeting.silent) {
        meeting.mine.ready_ns = ready_ns;
        place.arrive(meeting.collective, meeting.mine);
        meeting.arrived = true;
    }
    if (!meeting.arrived || !place.all_there(meeting.collective)) return false;
    std::int64_t start_ns = 0;
    const std::vector<Arrival> arrivals = place.arrivals(meeting.collective);
    for (std::size_t rank = 0; rank < arrivals.size(); ++rank) {
        const Arrival& other = arrivals[rank];
        start_ns = std::max(start_ns, other.ready_ns);
        const std::string both =
            "rank " + std::to_string(place.rank()) + " and rank " + std::to_string(rank) + " of a communicator ";
        if (other.what != meeting.mine.what) {
            report("collective_difference", both + "launch different collectives as number " +
                                                std::to_string(meeting.collective + 1) + ": " + meeting.mine.what +
                                                "; " + other.what);
        }
        for (const Arrival::Launched& mine : meeting.mine.before) {
            for (const Arrival::Launched& theirs : other.before) {
                if (mine.communicator != theirs.communicator || mine.collectives == theirs.collectives) continue;
                report("collective_order", both + "had launched " + std::to_string(mine.collectives) + " and " +
                                               std::to_string(theirs.collectives) +
                                               " collectives of another one before its number " +
                                               std::to_string(meeting.collective + 1));
            }
        }
    }
    lane.free_ns = start_ns + issued.work.duration_ns;
    return true;
}

void Device::host_saw(std::uint32_t lane) {
    host_ns_ = std::max(host_ns_, lanes_[lane].free_ns);
    host_ended_.join(lanes_[lane].ended);
}

StreamState Device::query(Stream& stream) {
    if (stream.capture) {
        report("capture", "a stream is asked for its state while it is captured");
        stream.capture->broken = true;
        return StreamState::broken;
    }
    progress();
    if (lanes_[stream.lane].waiting > 0) return StreamState::busy;
    host_saw(stream.lane);
    return StreamState::done;
}

void Device::synchronize_lane(std::uint32_t lane) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    for (progress(); lanes_[lane].waiting > 0; progress()) {
        if (Clock::now() - start > std::chrono::seconds(120)) {
            std::cerr << "virtual device: the host waits for a stream that nothing lets go on\n";
            std::_Exit(3);
        }
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    host_saw(lane);
}

void Device::synchronize(Stream& stream) {
    synchronize_lane(stream.lane);
    count_calls_anew();
    log_line("{\"synchronized\":" + std::to_string(lanes_[stream.lane].number) + "}");
}

void Device::synchronize() {
    for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane) synchronize_lane(lane);
}

}  // namespace overlap::virtual_device
