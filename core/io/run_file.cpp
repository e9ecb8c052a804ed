#include "core/io/run_file.h"

#include "core/base/error.h"
#include "core/files/format_version.h"
#include "core/files/json_bytes.h"
#include "core/files/json_document.h"
#include "core/files/json_fields.h"

namespace overlap {

namespace {

using simdjson::dom::element;
using simdjson::dom::object;

constexpr std::string_view format_name = "overlap-run";
constexpr std::int64_t format_version = 1;

element field(object from, std::string_view key) {
    element value;
    if (from.at_key(key).get(value)) JsonPlace(key).fail("this field is missing");
    return value;
}

void check_header(object document) {
    const element format = field(document, "format"), version = field(document, "version");
    if (json_string(format, JsonPlace("format")) != format_name)
        JsonPlace("format").fail("expected \"overlap-run\", found " + describe_json(format));
    check_format_version("run", json_integer(version, JsonPlace("version")), format_version);
    if (json_string(field(document, "mode"), JsonPlace("mode")) != "gpu")
        JsonPlace("mode").fail("a dry run has no times; a run on a device has");
}

void read_nodes(element value, RunnerTimes& times) {
    const JsonPlace place("nodes");
    std::size_t index = 0;
    for (const element item : json_list(value, place)) {
        const JsonPlace item_place(place, index++);
        const object fields = json_object(item, item_place);
        const std::string_view name =
            json_string(json_required(fields, "name", item_place), JsonPlace(item_place, "name"));
        const JsonPlace time_place(item_place, "median_ms");
        const double time_ms = json_number(json_required(fields, "median_ms", item_place), time_place, 0);
        if (!times.node_ms.emplace(name, time_ms).second)
            item_place.fail("a second time of the node " + quoted_text(name));
        if (element kernel; !fields.at_key("kernel").get(kernel))
            times.kernel_of_node.emplace(name, json_string(kernel, JsonPlace(item_place, "kernel")));
    }
}

RunnerTimes read_document(JsonBytes bytes) {
    const JsonDocument parsed(std::move(bytes));
    object document;
    if (parsed.root().get(document)) throw InputError("", "expected the result of a run, which is an object");
    check_header(document);
    RunnerTimes times;
    const JsonPlace graph_place("graph"), step_place("step_ms"), recorded_place("recorded");
    const object graph = json_object(field(document, "graph"), graph_place);
    times.graph_digest = json_string(json_required(graph, "digest", graph_place), JsonPlace(graph_place, "digest"));
    const object step = json_object(field(document, "step_ms"), step_place);
    times.step_ms = json_number(json_required(step, "median", step_place), JsonPlace(step_place, "median"), 0);
    if (element recorded; !document.at_key("recorded").get(recorded)) {
        const element exposed = json_required(json_object(recorded, recorded_place), "exposed_ms", recorded_place);
        times.exposed_ms = json_number(exposed, JsonPlace(recorded_place, "exposed_ms"), 0);
    }
    if (element device; !document.at_key("device").get(device)) times.device = json_string(device, JsonPlace("device"));
    if (element libraries; !document.at_key("libraries").get(libraries)) {
        const JsonPlace place("libraries");
        for (const auto [library, version] : json_object(libraries, place))
            times.versions[std::string(library)] = json_string(version, JsonPlace(place, library));
    }
    if (element compiled; !document.at_key("compiled").get(compiled)) {
        const JsonPlace place("compiled");
        const auto scope = compiled_scope_by_name(json_string(compiled, place));
        if (!scope) place.fail("expected \"eager\", \"blocks\" or \"whole\", found " + describe_json(compiled));
        times.compiled = *scope;
    }
    read_nodes(field(document, "nodes"), times);
    return times;
}

RunnerTimes naming_file(const std::string& file, JsonBytes bytes) {
    try {
        return read_document(std::move(bytes));
    } catch (const InputError& error) {
        throw error.in_file(file);
    }
}

JsonBytes bytes_of(const std::string& path) {
    try {
        return *read_json_file(path);
    } catch (const InputError& error) {
        throw error.in_file(path);
    }
}

}  // namespace

bool is_run_file(const std::string& path) {
    // run_json() begins with its format, and other programs may sort its fields; a trace may have hundreds of megabytes
    // and is not parsed for this.
    constexpr std::size_t head = std::size_t{1} << 16;
    const JsonBytes bytes = bytes_of(path);
    const std::string_view begin = bytes.view().substr(0, head);
    return begin.find("\"overlap-run\"") != std::string_view::npos;
}

RunnerTimes read_run_file(const std::string& path) {
    return naming_file(path, bytes_of(path));
}

RunnerTimes read_run_text(std::string_view text, const std::string& name) {
    return naming_file(name, JsonBytes(std::string(text)));
}

}  // namespace overlap
