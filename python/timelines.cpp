// The simulated step as lanes of events, and memory over it.

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "core/exports/page_pictures.h"
#include "core/memory/memory_kinds.h"
#include "core/timeline/timeline.h"
#include "python/bindings.h"
#include "python/convert.h"
#include "python/handles.h"

namespace overlap::python {

namespace {

const Lane& of(const LaneHandle& handle) {
    return handle.timeline->lanes()[handle.lane];
}

std::string kind_of(const LaneHandle& handle) {
    switch (of(handle).description.kind) {
        case LaneKind::compute:
            return "compute";
        case LaneKind::process_group:
            return "process_group";
        case LaneKind::other:
            break;
    }
    return "other";
}

std::vector<LaneHandle> lanes_of(const TimelineHandle& handle) {
    std::vector<LaneHandle> lanes;
    for (std::uint32_t lane = 0; lane < handle.timeline->lanes().size(); ++lane)
        lanes.push_back({handle.timeline, lane});
    return lanes;
}

std::vector<std::string> event_names(const LaneHandle& handle) {
    std::vector<std::string> names;
    for (const std::uint32_t name : of(handle).name) names.emplace_back(handle.timeline->name(name));
    return names;
}

/// An image that brings its own style, so that neither it nor the page around changes the other.
std::string image_of(const std::string& svg, const std::string& title) {
    const nb::object encoded =
        nb::module_::import_("base64").attr("b64encode")(nb::bytes(svg.data(), svg.size())).attr("decode")();
    return "<img alt=\"" + title + "\" style=\"width: 100%; max-width: 1180px\" src=\"data:image/svg+xml;base64," +
           nb::cast<std::string>(encoded) + "\">";
}

std::string timeline_svg(const TimelineHandle& handle) {
    return timeline_picture(*handle.timeline, handle.timeline->range(), "Timeline", PictureHome::alone);
}

const MemoryCurve& curve_of(const MemoryHandle& handle) {
    return handle.timeline->memory();
}

std::string memory_svg(const MemoryHandle& handle) {
    return memory_picture(*handle.timeline, nullptr, handle.timeline->range(), "Memory held over the step",
                          PictureHome::alone);
}

std::map<std::string, Column<std::int64_t>> layers_of(const MemoryHandle& handle) {
    std::map<std::string, Column<std::int64_t>> layers;
    const auto& columns = curve_of(handle).layers;
    for (std::size_t kind = 0; kind < columns.size(); ++kind) {
        auto own = std::make_shared<std::vector<std::int64_t>>(columns[kind]);
        for (std::size_t point = 0; kind > 0 && point < own->size(); ++point) (*own)[point] -= columns[kind - 1][point];
        layers.emplace(memory_kind_name(static_cast<MemoryKind>(kind)), column(*own, own));
    }
    return layers;
}

void add_lanes(nb::module_& core) {
    nb::class_<LaneHandle>(
        core, "Lane",
        "A row of events in order of time that do not overlap: compute, or a process group. All arrays "
        "have the shape (events,).")
        .def_prop_ro("title", [](const LaneHandle& lane) { return of(lane).description.title; })
        .def_prop_ro("subtitle", [](const LaneHandle& lane) { return of(lane).description.subtitle; })
        .def_prop_ro("kind", kind_of, "`compute`, `process_group` or `other`.")
        .def(
            "__len__", [](const LaneHandle& lane) { return of(lane).size(); }, "Number of events.")
        .def_prop_ro(
            "start_ns", [](const LaneHandle& lane) { return column(of(lane).start_ns, lane.timeline); }, shared_array,
            "Starts, nanoseconds, int64, shape (events,).")
        .def_prop_ro(
            "end_ns", [](const LaneHandle& lane) { return column(of(lane).end_ns, lane.timeline); }, shared_array,
            "Ends, nanoseconds, int64, shape (events,).")
        .def_prop_ro(
            "exposed_ns", [](const LaneHandle& lane) { return column(of(lane).exposed_ns, lane.timeline); },
            shared_array, "How long compute waits during each event, nanoseconds, int64, shape (events,).")
        .def_prop_ro(
            "node", [](const LaneHandle& lane) { return column(of(lane).reference, lane.timeline); }, shared_array,
            "The node of the evaluation's graph that each event is of, uint32, shape (events,): of a stall of "
            "compute the collective that it waits for.")
        .def_prop_ro(
            "is_stall",
            [](const LaneHandle& lane) {
                auto stalls = std::make_shared<std::vector<std::uint8_t>>();
                for (const EventRole role : of(lane).role) stalls->push_back(role == EventRole::exposed ? 1 : 0);
                return column(*stalls, stalls);
            },
            shared_array, "1 where compute waits for communication, else 0, uint8, shape (events,).")
        .def_prop_ro("names", event_names, "The name of each event's node.");
}

}  // namespace

std::string html_of(const TimelineHandle& timeline) {
    return image_of(timeline_svg(timeline), "timeline");
}

std::string html_of(const MemoryHandle& memory) {
    return image_of(memory_svg(memory), "memory over the step");
}

void add_timelines(nb::module_& core) {
    add_lanes(core);
    nb::class_<MemoryHandle>(
        core, "MemoryCurve",
        "Memory held over a step: `bytes[i]` from `time_ns[i]` until the next point. Shows itself in "
        "a notebook.")
        .def_prop_ro(
            "time_ns", [](const MemoryHandle& memory) { return column(curve_of(memory).time_ns, memory.timeline); },
            shared_array, "Nanoseconds, ascending, int64, shape (points,).")
        .def_prop_ro(
            "bytes", [](const MemoryHandle& memory) { return column(curve_of(memory).bytes, memory.timeline); },
            shared_array, "Bytes held, int64, shape (points,).")
        .def_prop_ro("by_kind", layers_of, shared_array,
                     "The bytes of each kind, such as `saved_activations`, int64, shape (points,): together `bytes`.")
        .def("svg", memory_svg, "The curve as an SVG document.")
        .def("_repr_html_", [](const MemoryHandle& memory) { return html_of(memory); });
    nb::class_<TimelineHandle>(
        core, "Timeline",
        "A simulated step as lanes of events: compute first, then each process group. Shows itself "
        "in a notebook.")
        .def_prop_ro("lanes", lanes_of)
        .def_prop_ro(
            "end_ns", [](const TimelineHandle& timeline) { return timeline.timeline->range().end_ns; },
            "When the last event ends, nanoseconds.")
        .def_prop_ro("memory", [](const TimelineHandle& timeline) { return MemoryHandle{timeline.timeline}; })
        .def("svg", timeline_svg, "The lanes as an SVG document.")
        .def("_repr_html_", [](const TimelineHandle& timeline) { return html_of(timeline); });
}

}  // namespace overlap::python
