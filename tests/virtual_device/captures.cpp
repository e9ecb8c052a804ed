// Captured steps of the device.
#include <algorithm>
#include <utility>

#include "tests/virtual_device/device.h"
#include "tests/virtual_device/findings.h"

namespace overlap::virtual_device {

bool Device::begin_capture(Stream& stream) {
    if (stream.capture) return false;
    stream.capture = *captures_.insert(new Capture).first;
    stream.capture->origin = &stream;
    return true;
}

void Device::capture_work(Stream& stream, Work work) {
    Capture& capture = *stream.capture;
    const auto lane = capture.lanes.emplace(&stream, static_cast<std::uint32_t>(capture.lanes.size())).first->second;
    VectorClock& ended = capture.ended[&stream];
    if (work.kind == Work::Kind::wait) {
        ended.join(work.point->ended);
    } else if (work.kind == Work::Kind::record) {
        work.point->ended = ended;
    } else {
        ended.advance(lane);
    }
    capture.steps.push_back({&stream, std::move(work)});
}

std::unique_ptr<Capture> Device::end_capture(Stream& stream) {
    std::unique_ptr<Capture> capture(stream.capture);
    captures_.erase(stream.capture);
    bool joined = true;
    for (const auto& [taking_part, ended] : capture->ended) {
        taking_part->capture = nullptr;
        joined = joined && capture->ended[&stream].covers(ended);
    }
    stream.capture = nullptr;
    if (!joined) report("capture", "the capture ends while a stream of it was not joined to the one where it began");
    if (!joined || capture->broken) return nullptr;
    return capture;
}

GraphExecution* Device::instantiate(const Capture& capture) {
    auto* const graph = new GraphExecution;
    graph->steps = capture.steps;
    for (const auto& [stream, unused] : capture.lanes) graph->lanes[stream] = make_lane(lanes_[stream->lane].number);
    graphs_.insert(graph);
    return graph;
}

/// Its parts start behind what was issued on the stream, and the stream goes on behind all of them.
bool Device::launch(GraphExecution* graph, Stream& stream) {
    if (!graphs_.contains(graph)) {
        report("stale_handle", "a CUDA graph is launched that does not exist");
        return false;
    }
    const auto point_on = [&](std::uint32_t lane) {
        Work work;
        work.kind = Work::Kind::record;
        work.point = std::make_shared<RecordPoint>();
        std::shared_ptr<RecordPoint> point = work.point;
        issue_on(lane, std::move(work));
        return point;
    };
    const auto hold = [&](std::uint32_t lane, std::shared_ptr<RecordPoint> point) {
        Work work;
        work.kind = Work::Kind::wait;
        work.point = std::move(point);
        issue_on(lane, std::move(work));
    };
    const std::shared_ptr<RecordPoint> begin = point_on(stream.lane);
    for (const auto& [unused, lane] : graph->lanes) hold(lane, begin);
    std::map<const RecordPoint*, std::shared_ptr<RecordPoint>> points;
    for (const Capture::Step& step : graph->steps) {
        Work work = step.work;
        if (work.point) {
            std::shared_ptr<RecordPoint>& point = points[step.work.point.get()];
            if (work.kind == Work::Kind::record) point = std::make_shared<RecordPoint>();
            work.point = point;
        }
        if (work.meeting) work.meeting = std::make_shared<Meeting>(*work.meeting);
        issue_on(graph->lanes.at(step.stream), std::move(work));
    }
    for (const auto& [unused, lane] : graph->lanes) hold(stream.lane, point_on(lane));
    return true;
}

void Device::end_graph(GraphExecution* graph) {
    if (graphs_.erase(graph) > 0) delete graph;
}

bool Device::captured(const Communicator& communicator) const {
    return std::any_of(graphs_.begin(), graphs_.end(), [&](const GraphExecution* graph) {
        return std::any_of(graph->steps.begin(), graph->steps.end(), [&](const Capture::Step& step) {
            return step.work.meeting && step.work.meeting->communicator.get() == &communicator;
        });
    });
}

}  // namespace overlap::virtual_device
