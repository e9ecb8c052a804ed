#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/virtual_device/meeting.h"
#include "tests/virtual_device/memory_checker.h"
#include "tests/virtual_device/vector_clock.h"

namespace overlap::virtual_device {

struct Capture;

/// One communicator of this process.
struct Communicator {
    explicit Communicator(std::unique_ptr<MeetingPlace> where) : place(std::move(where)) {}
    std::unique_ptr<MeetingPlace> place;
    std::uint64_t launched = 0;  ///< collectives
    bool aborted = false;
};

/// A place on a stream that others can wait for: one recording of an event.
struct RecordPoint {
    bool passed = false;
    std::int64_t time_ns = 0;
    VectorClock ended;
    Capture* capture = nullptr;  ///< of a recording that was captured
};

/// A collective as it was launched.
struct Meeting {
    std::shared_ptr<Communicator> communicator;
    std::uint64_t collective = 0;
    Arrival mine;
    bool arrived = false, silent = false;
};

/// Something that a stream carries out behind what was issued on it before.
struct Work {
    enum class Kind : std::uint8_t { kernel, memset, copy, collective, record, wait };
    Kind kind = Kind::kernel;
    std::string name;  ///< of what runs
    std::vector<Span> reads, writes;
    std::int64_t duration_ns = 0;
    std::shared_ptr<RecordPoint> point;  ///< of a record and a wait
    std::shared_ptr<Meeting> meeting;    ///< of a collective
};

/// A stream, or a stream's part of a CUDA graph.
struct Lane {
    VectorClock ended;  ///< what has ended when the next thing on it starts
    std::int64_t free_ns = 0;
    std::uint32_t waiting = 0;  ///< things issued on it whose times are not known yet
    std::uint32_t number = 0;   ///< its stream's, as CUPTI tells it
};

struct Stream {
    std::uint32_t lane = 0;
    Capture* capture = nullptr;
};

struct Event {
    bool timing = true;
    std::int64_t number = 0;
    std::shared_ptr<RecordPoint> last;
};

/// What is captured between the begin and the end of a capture.
struct Capture {
    struct Step {
        Stream* stream = nullptr;
        Work work;
    };
    Stream* origin = nullptr;
    std::vector<Step> steps;
    std::map<Stream*, VectorClock> ended;  ///< of streams that take part, with lanes of this capture alone
    std::map<Stream*, std::uint32_t> lanes;
    bool broken = false;
};

/// A captured step that can be launched: each of its streams has a lane of its own.
struct GraphExecution {
    std::vector<Capture::Step> steps;
    std::map<Stream*, std::uint32_t> lanes;
};

/// Something that ran, as CUPTI records it.
struct Activity {
    Work::Kind kind = Work::Kind::kernel;
    std::string name;
    std::uint32_t correlation = 0, stream = 0;
    std::int64_t start_ns = 0, end_ns = 0;
};

enum class StreamState { done, busy, broken };

/// The device of this process, in virtual time: kernels take what their work takes by the rates of `rates.h`, the host
/// takes none. Everything is deterministic; only how long a rank really waits for another is not. One host thread.
class Device {
  public:
    static Device& get();
    ~Device();

    MemoryChecker& memory() { return memory_; }
    std::int64_t free_bytes() const;
    /// @returns 0 where there is not as much left.
    std::uintptr_t allocate(std::int64_t bytes);
    /// Pinned memory of the host, of which there is enough.
    std::uintptr_t allocate_on_host(std::int64_t bytes);
    void give_back(std::uintptr_t address);

    Stream* make_stream();
    void end_stream(Stream* stream);
    /// The stream of a handle; the default stream for none. nullptr where there is no such stream (any more).
    Stream* stream_of(const void* handle);
    Event* make_event(bool timing);
    void end_event(Event* event);
    /// Streams and events by their numbers, in the order in which they were made.
    std::int64_t number_of(const Stream& stream) const { return lanes_[stream.lane].number; }
    Stream* stream_at(std::int64_t number);
    std::int64_t number_of(const Event& event) const { return event.number; }
    Event* event_at(std::int64_t number);
    bool has_event(const Event* event) const { return events_.contains(const_cast<Event*>(event)); }

    /// Issues work; on a stream that is captured it becomes a part of the capture.
    void issue(Stream& stream, Work work);
    void record(Event& event, Stream& stream);
    /// @returns whether CUDA would take it: a capture takes no event from outside, and nothing outside one from inside.
    bool wait(Event& event, Stream& stream);

    bool begin_capture(Stream& stream);
    /// @returns nothing where the capture is broken or a stream of it was not joined to its origin.
    std::unique_ptr<Capture> end_capture(Stream& stream);
    GraphExecution* instantiate(const Capture& capture);
    bool launch(GraphExecution* graph, Stream& stream);
    void end_graph(GraphExecution* graph);
    std::vector<std::shared_ptr<Communicator>>& communicators() { return communicators_; }
    /// Whether a graph that can be launched has a collective of the communicator in it.
    bool captured(const Communicator& communicator) const;

    /// Whether all that was issued on the stream has ended.
    StreamState query(Stream& stream);
    void synchronize(Stream& stream);
    void synchronize();
    bool capturing() const { return !captures_.empty(); }

    /// What is launched from now on has the node's number in the log and in records, until it is taken away.
    std::vector<std::uint64_t>& external_ids() { return external_ids_; }
    /// Launches that CUPTI would have recorded, when it does so.
    bool recording = false;
    std::vector<Activity> take_activities() { return std::exchange(activities_, {}); }
    /// Correlation and external id of each launch since the last call.
    std::vector<std::pair<std::uint32_t, std::uint64_t>> take_correlations() {
        return std::exchange(correlations_, {});
    }

    std::string name_of(std::uint32_t operation) const;

  private:
    struct Issued {
        std::uint32_t lane = 0, operation = 0, correlation = 0;
        std::int64_t issued_ns = 0;
        bool recorded = false;
        Work work;
    };
    struct Operation {
        std::string name;
        std::uint32_t stream = 0;
        std::int64_t node = -1;
    };

    Device();
    std::uint32_t make_lane(std::uint32_t number);
    void issue_on(std::uint32_t lane, Work work);
    void number(Meeting& meeting);
    void check_accesses(std::uint32_t lane, const Work& work, std::uint32_t operation);
    void capture_work(Stream& stream, Work work);
    void progress();
    bool resolve(Issued& issued);
    bool meet(Issued& issued, std::int64_t ready_ns);
    void host_saw(std::uint32_t lane);
    void synchronize_lane(std::uint32_t lane);

    MemoryChecker memory_;
    struct Allocation {
        std::int64_t bytes = 0;
        bool on_host = false;
    };
    std::uintptr_t new_allocation(Allocation allocation);

    std::map<std::uintptr_t, Allocation> allocations_;
    std::uintptr_t next_address_ = 0;
    std::int64_t allocated_bytes_ = 0;
    std::deque<Lane> lanes_;
    std::list<Stream> streams_;
    std::map<const void*, Stream*> stream_handles_;
    std::set<Event*> events_;
    std::set<GraphExecution*> graphs_;
    std::set<Capture*> captures_;
    std::vector<std::shared_ptr<Communicator>> communicators_;
    std::list<Issued> issued_;
    std::vector<Operation> operations_;
    std::vector<std::uint64_t> external_ids_;
    std::vector<Activity> activities_;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> correlations_;
    VectorClock host_ended_;  ///< what the host has waited for
    std::int64_t host_ns_ = 0;
    std::uint32_t correlation_ = 0, stream_numbers_ = 0;
    std::int64_t events_made_ = 0;
    std::uint64_t collectives_ = 0;  ///< launched by this process
};

}  // namespace overlap::virtual_device
