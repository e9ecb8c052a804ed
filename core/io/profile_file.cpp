#include "core/io/profile_file.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/base/error.h"
#include "core/base/trace_origin.h"
#include "core/files/json_document.h"
#include "core/files/json_fields.h"
#include "core/files/json_text.h"

namespace overlap {

namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;
using Ranks = std::vector<std::int64_t>;

std::optional<element> member(object from, std::string_view key) {
    element value;
    return from.at_key(key).get(value) ? std::nullopt : std::optional(value);
}

std::string_view string_or_empty(object from, std::string_view key) {
    const std::optional<element> value = member(from, key);
    std::string_view text;
    return value && !value->get(text) ? text : std::string_view();
}

std::optional<Ranks> sorted_ranks(array list) {
    Ranks ranks;
    for (const element item : list) {
        std::int64_t rank = 0;
        if (item.get(rank)) return std::nullopt;
        ranks.push_back(rank);
    }
    std::sort(ranks.begin(), ranks.end());
    return ranks;
}

/// Sizes of the inputs that are tensors with dimensions; nothing where an input is a list of tensors.
std::optional<TensorSizes> tensor_sizes(object arguments, std::string_view key) {
    TensorSizes sizes;
    const std::optional<element> inputs = member(arguments, key);
    array list;
    if (!inputs || inputs->get(list)) return sizes;
    bool has_lists = false;
    for (const element input : list) {
        array dimensions;
        if (input.get(dimensions) || dimensions.size() == 0) continue;
        std::vector<std::int64_t>& of_tensor = sizes.emplace_back();
        for (const element dimension : dimensions) {
            std::int64_t size = 0;
            has_lists |= dimension.get(size) != simdjson::SUCCESS;
            of_tensor.push_back(size);
        }
    }
    return has_lists ? std::nullopt : std::optional(std::move(sizes));
}

class ProfileReader {
  public:
    ProfileRecords run(element document) {
        object root;
        if (document.get(root)) {
            throw InputError("", "found " + describe_json(document) + ", expected an object with traceEvents");
        }
        records_.is_simulated = says_simulated(root);
        read_groups(root);
        const JsonPlace place("traceEvents");
        if (const std::optional<element> events = member(root, "traceEvents")) {
            records_.has_events = true;
            for (const element event : json_list(*events, place)) read_event(event, JsonPlace(place, count_++));
        }
        for (const Operator& each : operators_) add_operator(each);
        return std::move(records_);
    }

  private:
    struct Operator {
        std::string_view name;
        object arguments;
        std::string id;
    };

    static bool says_simulated(object root) {
        const std::optional<element> other = member(root, "otherData");
        object fields;
        return other && !other->get(fields) && string_or_empty(fields, trace_times_member) == simulated_trace_times;
    }

    void read_groups(object root) {
        const JsonPlace place("distributedInfo");
        const std::optional<element> information = member(root, "distributedInfo");
        if (!information) return;
        const std::optional<element> groups = member(json_object(*information, place), "pg_config");
        if (!groups) return;
        const JsonPlace groups_place(place, "pg_config");
        array list;
        object by_name;
        if (!groups->get(list)) {
            std::size_t index = 0;
            for (const element group : list) {
                const JsonPlace group_place(groups_place, index++);
                const object fields = json_object(group, group_place);
                const std::optional<element> name = member(fields, "pg_name");
                std::string_view text;
                if (!name) {
                    add_group("", fields);
                } else {
                    add_group(name->get(text) ? json_text(*name) : std::string(text), fields);
                }
            }
        } else if (!groups->get(by_name)) {
            for (const auto& [name, group] : by_name) {
                add_group(std::string(name), json_object(group, JsonPlace(groups_place, name)));
            }
        }
    }

    /// Ranks that are no list of numbers make torch's reader fail where they are needed; until then they are harmless.
    void add_group(const std::string& name, object fields) {
        const std::optional<element> value = member(fields, "ranks");
        if (!value || value->is_null()) return;
        array list;
        std::optional<Ranks> ranks;
        if (!value->get(list)) {
            if (list.size() == 0) return;
            ranks = sorted_ranks(list);
        }
        groups_[name] = std::move(ranks);
    }

    void read_event(element value, const JsonPlace& place) {
        const object event = json_object(value, place);
        const std::string_view category = string_or_empty(event, "cat");
        const std::optional<element> arguments_value = member(event, "args");
        if (!arguments_value || (category != "kernel" && category != "cpu_op")) return;
        const object arguments = json_object(*arguments_value, JsonPlace(place, "args"));
        const std::optional<element> external = member(arguments, "External id");
        if (category == "cpu_op") {
            if (!external) return;
            std::string id = json_text(*external);
            // Of several operators with one number the first counts.
            if (seen_.try_emplace(id, true).second) {
                operators_.push_back({string_or_empty(event, "name"), arguments, std::move(id)});
            }
            return;
        }
        const std::optional<element> duration = member(event, "dur");
        const double time_us = duration ? json_number(*duration, JsonPlace(place, "dur")) : 0;
        if (time_us <= 0) return;
        if (member(arguments, "Output type")) add_named_kernel(arguments, time_us);
        if (external && !external->is_null()) kernel_us_[json_text(*external)] += time_us;
        if (const std::optional<element> name = member(arguments, "Collective name"); name && !name->is_null()) {
            add_collective(json_string(*name, JsonPlace(place, "Collective name")), arguments, time_us, place);
        }
    }

    /// A kernel that says itself which operator it is of, as those of overlap-runner's traces do.
    void add_named_kernel(object arguments, double time_us) {
        ProfiledOperator made;
        std::optional<TensorSizes> shapes = tensor_sizes(arguments, "Input Dims");
        std::optional<TensorSizes> strides = tensor_sizes(arguments, "Input Strides");
        if (!shapes || !strides || shapes->empty()) return;
        made.name = string_or_empty(arguments, "operator");
        made.shapes = std::move(*shapes);
        made.strides = std::move(*strides);
        made.dtype = dtype_by_name(string_or_empty(arguments, "Output type"));
        made.time_us = time_us;
        records_.operators.push_back(std::move(made));
    }

    void add_collective(std::string_view name, object arguments, double time_us, const JsonPlace& place) {
        const auto number = [&](std::string_view key) {
            const std::optional<element> value = member(arguments, key);
            return value ? json_integer(*value, JsonPlace(place, key)) : 0;
        };
        ProfiledCollective& collective = records_.collectives.emplace_back();
        collective.name = name;
        collective.group = string_or_empty(arguments, "Process Group Name");
        collective.ranks = ranks_of(string_or_empty(arguments, "Process Group Ranks"), collective.group, place);
        collective.group_size = number("Group size");
        collective.output_elements = number("Out msg nelems");
        collective.dtype = string_or_empty(arguments, "dtype");
        collective.time_us = time_us;
        if (member(arguments, "Seq")) collective.sequence = number("Seq");
    }

    Ranks ranks_of(std::string_view text, const std::string& group, const JsonPlace& place) {
        simdjson::dom::array list;
        if (text.starts_with("[") && !parser_.parse(simdjson::padded_string(text)).get(list)) {
            if (std::optional<Ranks> ranks = sorted_ranks(list)) return std::move(*ranks);
        }
        const auto known = groups_.find(group);
        if (known == groups_.end()) return {};
        if (!known->second) place.fail("the ranks of its process group are no list of numbers, and PyTorch raises");
        return *known->second;
    }

    void add_operator(const Operator& each) {
        const auto time = kernel_us_.find(each.id);
        if (time == kernel_us_.end()) return;
        std::optional<TensorSizes> shapes = tensor_sizes(each.arguments, "Input Dims");
        std::optional<TensorSizes> strides = tensor_sizes(each.arguments, "Input Strides");
        if (!shapes || !strides) {
            ++records_.operators_with_lists;
            return;
        }
        if (shapes->empty()) return;
        ProfiledOperator& made = records_.operators.emplace_back();
        made.name = each.name;
        made.shapes = std::move(*shapes);
        made.strides = std::move(*strides);
        const std::optional<element> types = member(each.arguments, "Input type");
        array list;
        std::string_view type;
        if (types && !types->get(list) && list.size() > 0 && !list.at(0).get(type))
            made.dtype = dtype_of_input_type(type);
        made.time_us = time->second;
    }

    ProfileRecords records_;
    std::size_t count_ = 0;
    std::unordered_map<std::string, std::optional<Ranks>> groups_;  ///< nothing: no list of numbers
    std::unordered_map<std::string, double> kernel_us_;             ///< by External id
    std::unordered_map<std::string, bool> seen_;
    std::vector<Operator> operators_;
    simdjson::dom::parser parser_;
};

template <typename Read>
ProfileRecords read_document(Read read, const std::string& name) {
    try {
        const JsonDocument document(*read());
        return ProfileReader().run(document.root());
    } catch (const InputError& error) {
        throw error.in_file(name);
    }
}

}  // namespace

ProfileRecords read_profile_file(const std::string& path) {
    return read_document([&] { return read_json_file(path); }, path);
}

ProfileRecords read_profile_text(std::string_view text, const std::string& name) {
    return read_document([&] { return read_json_bytes(text); }, name);
}

}  // namespace overlap
