#pragma once

#include <string>

#include "ui/inspector/inspector_content.h"
#include "ui/measure/measurement.h"

namespace overlap::ui {

/// What a measurement knows of an event without its file: where and when it ran, how long, what launched it, and of a
/// collective its kind, process group and bytes.
InspectorContent describeEvent(const Measurement& measurement, Measurement::Event event);

/// Adds the args of an event, in the file's order. @param json the event as read_trace_event() gives it.
void addArguments(InspectorContent& content, const std::string& json);

/// A line for a tool tip: kind, bytes and group of a collective, or the stream; rich text.
QString eventToolTip(const Measurement& measurement, Measurement::Event event);

/// `FSDP, ranks 0–7`, as far as the trace has it; `unknown group` for no_index.
QString measuredGroupText(const MeasuredTrace& trace, std::uint32_t group);

}  // namespace overlap::ui
