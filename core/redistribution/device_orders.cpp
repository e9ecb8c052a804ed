#include "core/redistribution/device_orders.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "core/base/error.h"
#include "core/base/nearest_name.h"
#include "core/base/number_text.h"
#include "core/base/quote.h"
#include "core/base/wording.h"
#include "core/cost/cost_model.h"
#include "core/mesh/sharding_text.h"

namespace overlap {

namespace {

/// Relative difference from which on an expected saving counts as another one: more than rounding can make.
constexpr double stale_from = 1e-6;

struct NumberRange {
    std::int64_t first = 0, last = 0;
    std::size_t length = 0;  ///< of its text
};

/// The range `[2-31]` that `pattern` begins with.
std::optional<NumberRange> leading_range(std::string_view pattern) {
    const std::size_t end = pattern.find(']');
    const std::size_t dash = pattern.find('-');
    if (!pattern.starts_with('[') || end == std::string_view::npos || dash > end) return std::nullopt;
    NumberRange range;
    range.length = end + 1;
    const auto read = [&](std::size_t from, std::size_t to, std::int64_t& number) {
        const auto [stop, error] = std::from_chars(pattern.data() + from, pattern.data() + to, number);
        return error == std::errc{} && stop == pattern.data() + to;
    };
    if (!read(1, dash, range.first) || !read(dash + 1, end, range.last)) return std::nullopt;
    return range;
}

/// Digits that `name` begins with, when they are a number in the range; 0 otherwise.
std::size_t matching_digits(const NumberRange& range, std::string_view name) {
    std::int64_t number = 0;
    const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
    const auto [stop, error] = std::from_chars(name.data(), name.data() + digits, number);
    return error == std::errc{} && number >= range.first && number <= range.last ? digits : 0;
}

/// How much of both texts the first token of the pattern, which is no star, takes; {0, 0} where it does not match.
std::pair<std::size_t, std::size_t> match_token(std::string_view pattern, std::string_view name) {
    if (pattern.empty() || name.empty()) return {0, 0};
    if (const std::optional<NumberRange> range = leading_range(pattern)) {
        const std::size_t digits = matching_digits(*range, name);
        return digits == 0 ? std::pair<std::size_t, std::size_t>{0, 0} : std::pair{range->length, digits};
    }
    if (pattern.front() == '?' || pattern.front() == name.front()) return {1, 1};
    return {0, 0};
}

std::string quoted_names(std::vector<std::string> names) {
    for (std::string& name : names) name = in_quotes(name);
    return enumerated(names);
}

std::string process_groups(const std::vector<std::string>& names) {
    return (names.size() == 1 ? "process group " : "process groups ") + quoted_names(names);
}

bool differs(double found, double expected) {
    return std::abs(found - expected) > stale_from * std::max({std::abs(found), std::abs(expected), 1.0 / 1e3});
}

class DeviceOrderCheck {
  public:
    DeviceOrderCheck(const Plan& plan, const ComparedChains& compared) : plan_(plan), compared_(compared) {}

    std::vector<Problem> run() {
        const std::vector<DeviceOrderStatus> statuses = device_order_statuses(plan_.device_orders, compared_);
        for (std::size_t index = 0; index < statuses.size(); ++index)
            check(plan_.device_orders[index], statuses[index]);
        return std::move(problems_);
    }

  private:
    void add(Severity severity, ProblemKind kind, std::string title, std::string message) {
        Problem& problem = problems_.emplace_back();
        problem.severity = severity;
        problem.kind = kind;
        problem.title = std::move(title);
        problem.message = std::move(message);
    }

    std::vector<std::string> names(const std::vector<std::size_t>& indices) const {
        std::vector<std::string> names;
        for (const std::size_t index : indices) names.push_back(compared_.chains.parameters[index].name);
        return names;
    }

    void check(const DeviceOrder& order, const DeviceOrderStatus& status) {
        const std::string entry = "device order " + display_name(order);
        const std::vector<ParameterChains>& parameters = compared_.chains.parameters;
        const DeviceOrderEffect& effect = status.effect;
        if (!effect.obstacle.empty()) {
            add(Severity::caution, ProblemKind::device_order_unreadable, "Device order",
                entry + ": " + effect.obstacle);
            return;
        }
        if (!status.repeated.empty()) {
            add(Severity::caution, ProblemKind::repeated_device_order, "Device order twice",
                entry + ": an earlier entry counts for " + quoted_names(names(status.repeated)));
        }
        if (!effect.misfits.empty()) {
            const std::size_t first = effect.misfits.front();
            add(Severity::caution, ProblemKind::device_order_misfit, "Device order fits not all",
                entry + " does not fit " + quoted_names(names(effect.misfits)) + ": " +
                    (parameters[first].inferred() ? "stored as " + to_text(parameters[first].storage) + " on " +
                                                        process_groups(parameters[first].mesh.groups)
                                                  : parameters[first].obstacle));
        }
        if (status.unknown()) {
            std::string message = in_quotes(order.parameters) + " matches no parameter with collectives in the graph";
            const std::vector<std::string> nearest = nearest_names(order.parameters, all_names());
            if (!nearest.empty()) message += "; nearest: " + quoted_names(nearest);
            add(Severity::caution, ProblemKind::unknown_parameter, "Unknown parameter", message);
            return;
        }
        if (!effect.parameters.empty()) note_saving(order, status, entry);
    }

    std::vector<std::string> all_names() const {
        std::vector<std::string> names;
        for (const ParameterChains& parameter : compared_.chains.parameters) names.push_back(parameter.name);
        return names;
    }

    void note_saving(const DeviceOrder& order, const DeviceOrderStatus& status, const std::string& entry) {
        const DeviceOrderEffect& effect = status.effect;
        const std::string saving = time_text(effect.saved_ms) + " and " + bytes_text(effect.saved_bytes);
        add(Severity::note, ProblemKind::device_order_saving, "Expected saving",
            entry + ": " + counted(effect.parameters.size(), "parameter") + ", " + saving +
                " less communication a step expected; the training job lays parameters out, so the figures of the "
                "simulation do not contain it");
        if (status.stale) {
            add(Severity::caution, ProblemKind::stale_saving, "Saving out of date",
                entry + ": the plan expects " + time_text(order.saving_ms) + " and " + bytes_text(order.saving_bytes) +
                    ", on this graph it is " + saving);
        }
    }

    const Plan& plan_;
    const ComparedChains& compared_;
    std::vector<Problem> problems_;
};

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view name) {
    // Where a token does not match, the last star takes one letter more.
    std::optional<std::pair<std::string_view, std::string_view>> star;
    while (!pattern.empty() || !name.empty()) {
        if (pattern.starts_with('*')) {
            pattern.remove_prefix(1);
            star = {pattern, name};
            continue;
        }
        const auto [of_pattern, of_name] = match_token(pattern, name);
        if (of_pattern > 0) {
            pattern.remove_prefix(of_pattern);
            name.remove_prefix(of_name);
            continue;
        }
        if (!star || star->second.empty()) return false;
        star->second.remove_prefix(1);
        std::tie(pattern, name) = *star;
    }
    return true;
}

std::string pattern_of_alikes(std::string_view name) {
    std::string pattern;
    while (true) {
        const std::size_t dot = std::min(name.find('.'), name.size());
        const std::string_view part = name.substr(0, dot);
        const bool number = !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
        pattern.append(number ? "*" : part);
        if (dot == name.size()) return pattern;
        pattern += '.';
        name.remove_prefix(dot + 1);
    }
}

DeviceOrderEffect effect_of(const DeviceOrder& order, std::span<const ParameterChains> parameters,
                            std::span<const OrderComparison> comparisons, const std::vector<bool>& taken) {
    DeviceOrderEffect effect;
    ShardingState storage;
    try {
        storage = parse_state(order.order, static_cast<int>(order.mesh.size()));
    } catch (const InputError& error) {
        effect.obstacle = error.what();
        return effect;
    }
    for (std::size_t index = 0; index < parameters.size(); ++index) {
        if (!matches_pattern(order.parameters, parameters[index].name) || (!taken.empty() && taken[index])) continue;
        const OrderAlternative* alternative =
            parameters[index].mesh.groups == order.mesh ? comparisons[index].find(storage) : nullptr;
        if (!alternative) {
            effect.misfits.push_back(index);
            continue;
        }
        effect.parameters.push_back(index);
        effect.saved_ms += alternative->saved_ms;
        effect.saved_bytes += alternative->saved_bytes;
    }
    return effect;
}

ComparedChains compare_chains(const Graph& graph, const std::stop_token& stop) {
    ComparedChains compared;
    compared.chains = redistribution_chains(graph, node_times_ms(graph));
    OrderComparer comparer(graph);
    for (const ParameterChains& parameter : compared.chains.parameters) {
        if (stop.stop_requested()) return {};
        compared.comparisons.push_back(comparer.compare(parameter));
    }
    return compared;
}

std::vector<DeviceOrderStatus> device_order_statuses(std::span<const DeviceOrder> orders,
                                                     const ComparedChains& compared) {
    const std::vector<ParameterChains>& parameters = compared.chains.parameters;
    std::vector<bool> taken(parameters.size(), false);
    std::vector<DeviceOrderStatus> statuses;
    for (const DeviceOrder& order : orders) {
        DeviceOrderStatus& status = statuses.emplace_back();
        for (std::size_t index = 0; index < parameters.size(); ++index) {
            if (taken[index] && matches_pattern(order.parameters, parameters[index].name))
                status.repeated.push_back(index);
        }
        status.effect = effect_of(order, parameters, compared.comparisons, taken);
        for (const std::size_t index : status.effect.parameters) taken[index] = true;
        status.stale = !status.effect.parameters.empty() && (differs(status.effect.saved_ms, order.saving_ms) ||
                                                             status.effect.saved_bytes != order.saving_bytes);
    }
    return statuses;
}

DeviceOrder device_order(std::string pattern, const ParameterChains& parameter, const ShardingState& storage,
                         const ComparedChains& compared) {
    DeviceOrder order;
    order.parameters = std::move(pattern);
    order.mesh = parameter.mesh.groups;
    order.order = to_text(storage);
    const DeviceOrderEffect effect = effect_of(order, compared.chains.parameters, compared.comparisons);
    order.saving_ms = effect.saved_ms;
    order.saving_bytes = effect.saved_bytes;
    return order;
}

std::string display_name(const DeviceOrder& order) {
    return in_quotes(order.parameters) + " stored as " + order.order + " on " + process_groups(order.mesh);
}

std::vector<Problem> check_device_orders(const Graph& graph, const Plan& plan) {
    if (plan.device_orders.empty()) return {};
    try {
        return DeviceOrderCheck(plan, compare_chains(graph)).run();
    } catch (const InputError& error) {
        Problem problem;
        problem.severity = Severity::caution;
        problem.kind = ProblemKind::device_order_unreadable;
        problem.title = "Device orders";
        problem.message = "what the plan's device orders save is not known: " + error.problem();
        return {problem};
    }
}

}  // namespace overlap
