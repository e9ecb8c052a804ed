#include "core/modules/source_lines.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "core/files/json_members.h"

namespace overlap {

namespace {

using Json = nlohmann::json;

/// Python's `File "model.py", line 12, in forward`; no file where the text is none of it.
SourceLine frame_of(std::string_view text) {
    constexpr std::string_view file_mark = "File \"", line_mark = "\", line ", function_mark = ", in ";
    SourceLine frame;
    const std::size_t file = text.find(file_mark);
    if (file == std::string_view::npos) return frame;
    text.remove_prefix(file + file_mark.size());
    const std::size_t line = text.find(line_mark);
    if (line == std::string_view::npos) return frame;
    const std::string_view rest = text.substr(line + line_mark.size());
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), frame.line);
    if (error != std::errc{}) return frame;
    frame.file = text.substr(0, line);
    if (const std::size_t function = rest.find(function_mark); function != std::string_view::npos)
        frame.function = rest.substr(function + function_mark.size());
    return frame;
}

/// @param text of a traceback, whose last frame is the innermost.
std::vector<SourceLine> frames_of_trace(std::string_view text) {
    std::vector<SourceLine> frames;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (SourceLine frame = frame_of(text.substr(0, end)); !frame.file.empty())
            frames.insert(frames.begin(), std::move(frame));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return frames;
}

std::string text_member(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::vector<SourceLine> frames_in(std::string_view extra) {
    const Json source = Json::parse(json_member(extra, "source"), nullptr, false);
    if (source.is_object()) {
        SourceLine line{.file = text_member(source, "file"), .function = text_member(source, "function")};
        if (const auto number = source.find("line"); number != source.end() && number->is_number_integer())
            line.line = number->get<std::int64_t>();
        if (!line.file.empty()) return {std::move(line)};
    }
    const Json trace = Json::parse(json_member(extra, "stack_trace"), nullptr, false);
    return trace.is_string() ? frames_of_trace(trace.get_ref<const std::string&>()) : std::vector<SourceLine>();
}

}  // namespace

const std::vector<SourceLine>& SourceLines::frames(NodeId node) {
    const StringId extra = graph_.metadata(node).extra_json;
    const auto [known, added] = by_text_.try_emplace(extra);
    if (added && extra != empty_string) known->second = frames_in(graph_.text(extra));
    return known->second;
}

}  // namespace overlap
