#include "app/arguments/node_times.h"

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/files/json_document.h"
#include "core/files/json_fields.h"

namespace overlap::commands {

std::map<std::string, double> read_node_times(const std::string& file) {
    try {
        const JsonDocument document(*read_json_file(file));
        std::map<std::string, double> times;
        for (const auto [name, time] : json_object(document.root(), JsonPlace("the document")))
            times[std::string(name)] = json_number(time, JsonPlace(name), 0);
        return times;
    } catch (const InputError& error) {
        throw error.file().empty() ? error.in_file(file) : error;
    }
}

std::size_t put_node_times(const std::map<std::string, double>& given, const std::string& file, const Graph& input,
                           const Graph& result, std::span<double> times_ms) {
    std::size_t replaced = 0;
    for (const auto& [name, time_ms] : given) {
        if (const NodeId node = result.find(name); node != no_node) {
            times_ms[node] = time_ms;
        } else if (input.find(name) != no_node) {
            ++replaced;
        } else {
            throw InputError(file, name, "there is no node " + in_quotes(name) + " in the graph");
        }
    }
    return replaced;
}

}  // namespace overlap::commands
