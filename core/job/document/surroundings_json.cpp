// What is around stages and schedule: messages, variation, mesh, topology.

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/error.h"
#include "core/base/grouped_number.h"
#include "core/base/quote.h"
#include "core/io/plan/plan_json.h"
#include "core/job/document/document_parts.h"
#include "core/job/document/object_reader.h"

namespace overlap::job {

namespace {

/// Factors that a distribution may be measured by.
constexpr std::size_t most_factors = 100'000;
/// Kinds of pauses.
constexpr std::size_t most_pauses = 1000;
constexpr double most_factor = 1e6;

DistributionSpec read_distribution(ObjectReader& above, std::string_view key) {
    DistributionSpec read;
    const Json* value = above.find(key);
    if (!value) return read;
    ObjectReader fields(*value, above.at(key), "an object with sigma, uniform, exponential or factors");
    std::size_t given = 0;
    const auto is = [&](DistributionSpec::Kind kind) {
        read.kind = kind;
        ++given;
    };
    if (const auto sigma = fields.number("sigma", 0, 10); sigma) {
        is(DistributionSpec::Kind::log_normal);
        read.sigma = *sigma;
    }
    if (const Json* range = fields.list("uniform"); range) {
        is(DistributionSpec::Kind::uniform);
        if (range->size() != 2) fields.fail("uniform", "expected the least and the greatest factor");
        read.least = read_number((*range)[0], item_place(fields.at("uniform"), 0), 0, most_factor);
        read.most = read_number((*range)[1], item_place(fields.at("uniform"), 1), read.least, most_factor);
    }
    if (const auto mean = fields.number("exponential", 0, most_factor); mean) {
        is(DistributionSpec::Kind::exponential);
        read.mean = *mean;
    }
    if (const Json* factors = fields.list("factors"); factors) {
        is(DistributionSpec::Kind::measured);
        if (factors->empty() || factors->size() > most_factors)
            fields.fail("factors", "expected 1 to " + grouped_text(most_factors) + " factors");
        for (std::size_t i = 0; i < factors->size(); ++i)
            read.factors.push_back(read_number((*factors)[i], item_place(fields.at("factors"), i), 0, most_factor));
    }
    if (const std::string each = fields.text("each"); each == "rank")
        read.each_rank = true;
    else if (!each.empty() && each != "action")
        fields.fail("each", "found " + in_quotes(shortened(each)) + ", expected \"action\" or \"rank\"");
    if (given > 1) fields.fail("", "expected one of sigma, uniform, exponential and factors");
    read.extra = fields.unknown();
    return read;
}

void write(Json& above, const char* key, const DistributionSpec& distribution) {
    Json json = Json::object();
    switch (distribution.kind) {
        case DistributionSpec::Kind::none:
            if (distribution.extra.empty() && !distribution.each_rank) return;
            break;
        case DistributionSpec::Kind::log_normal:
            json["sigma"] = distribution.sigma;
            break;
        case DistributionSpec::Kind::uniform:
            json["uniform"] = {distribution.least, distribution.most};
            break;
        case DistributionSpec::Kind::exponential:
            json["exponential"] = distribution.mean;
            break;
        case DistributionSpec::Kind::measured:
            json["factors"] = distribution.factors;
            break;
    }
    if (distribution.each_rank) json["each"] = "rank";
    add_unknown_fields(json, distribution.extra);
    above[key] = std::move(json);
}

std::vector<PauseSpec> read_pauses(ObjectReader& above) {
    std::vector<PauseSpec> read;
    const Json* pauses = above.list("pauses");
    if (!pauses) return read;
    if (pauses->size() > most_pauses) above.fail("pauses", "has more than " + grouped_text(most_pauses) + " kinds");
    for (std::size_t i = 0; i < pauses->size(); ++i) {
        ObjectReader item((*pauses)[i], item_place(above.at("pauses"), i), "an object with probability and ms");
        PauseSpec& pause = read.emplace_back();
        item.require("probability", "that an action has the pause");
        pause.probability = *item.number("probability", 0, 1);
        item.require("ms", "what the pause takes");
        pause.ms = *item.number("ms");
        pause.extra = item.unknown();
    }
    return read;
}

}  // namespace

TransferSpec read_transfer(const Json& value) {
    ObjectReader fields(value, "transfer", "an object with activations_ms and gradients_ms");
    TransferSpec transfer;
    transfer.activations_ms = fields.number("activations_ms").value_or(0);
    transfer.gradients_ms = fields.number("gradients_ms").value_or(0);
    transfer.activation_bytes = fields.integer("activation_bytes");
    transfer.gradient_bytes = fields.integer("gradient_bytes");
    transfer.extra = fields.unknown();
    return transfer;
}

Json written(const TransferSpec& transfer) {
    Json json = Json::object();
    if (!transfer.activation_bytes || transfer.activations_ms > 0) json["activations_ms"] = transfer.activations_ms;
    if (!transfer.gradient_bytes || transfer.gradients_ms > 0) json["gradients_ms"] = transfer.gradients_ms;
    if (transfer.activation_bytes) json["activation_bytes"] = *transfer.activation_bytes;
    if (transfer.gradient_bytes) json["gradient_bytes"] = *transfer.gradient_bytes;
    add_unknown_fields(json, transfer.extra);
    return json;
}

VariationSpec read_variation(const Json& value) {
    ObjectReader fields(value, "variation", "an object with slow, or seed, samples, compute and transfer");
    VariationSpec variation;
    if (const auto seed = fields.integer("seed"); seed) {
        variation.seed = static_cast<std::uint64_t>(*seed);
        variation.has_seed = true;
    }
    if (const auto samples = fields.integer("samples", 1, 1'000'000); samples) {
        variation.samples = static_cast<std::int32_t>(*samples);
        variation.has_samples = true;
    }
    variation.compute = read_distribution(fields, "compute");
    variation.transfer = read_distribution(fields, "transfer");
    variation.pauses = read_pauses(fields);
    if (const Json* slow = fields.list("slow"); slow) {
        for (std::size_t i = 0; i < slow->size(); ++i) {
            ObjectReader item((*slow)[i], item_place(fields.at("slow"), i),
                              "an object with rank, or replica and stage, and factor");
            SlowSpec& read = variation.slow.emplace_back();
            read.rank = item.integer("rank", 0, most_counted);
            read.replica = item.count("replica", 0);
            read.stage = item.count("stage", 0);
            if (read.rank && (read.replica || read.stage))
                throw InputError(item.at("rank"),
                                 "found beside replica or stage: a rank has the stages that the "
                                 "schedule gives it");
            item.require("factor", "what multiplies the compute");
            read.factor = *item.number("factor", 0, 1e6);
            read.extra = item.unknown();
        }
    }
    variation.extra = fields.unknown();
    return variation;
}

Json written(const VariationSpec& variation) {
    Json json = Json::object();
    if (variation.has_seed) json["seed"] = variation.seed;
    if (variation.has_samples) json["samples"] = variation.samples;
    write(json, "compute", variation.compute);
    write(json, "transfer", variation.transfer);
    for (const PauseSpec& pause : variation.pauses) {
        Json item = {{"probability", pause.probability}, {"ms", pause.ms}};
        add_unknown_fields(item, pause.extra);
        json["pauses"].push_back(std::move(item));
    }
    for (const SlowSpec& slow : variation.slow) {
        Json item = Json::object();
        if (slow.rank) item["rank"] = *slow.rank;
        if (slow.replica) item["replica"] = *slow.replica;
        if (slow.stage) item["stage"] = *slow.stage;
        item["factor"] = slow.factor;
        add_unknown_fields(item, slow.extra);
        json["slow"].push_back(std::move(item));
    }
    add_unknown_fields(json, variation.extra);
    return json;
}

MeshSpec read_mesh(const Json& value) {
    ObjectReader fields(value, "mesh", "an object with dims");
    MeshSpec mesh;
    fields.require("dims", "a list such as [[\"dp\", 2], [\"pp\", 4]]");
    const Json& dims = *fields.list("dims");
    std::int64_t ranks = 1;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        const std::string place = item_place("mesh.dims", i);
        if (!dims[i].is_array() || dims[i].size() != 2) fail_type(place, dims[i], "a name and a size");
        const std::string name = read_text(dims[i][0], place + "[0]");
        const std::int64_t size = read_integer(dims[i][1], place + "[1]", 1, most_counted);
        for (const auto& [other, ignored] : mesh.dims)
            if (other == name)
                throw InputError(place, "the dimension " + in_quotes(shortened(name)) + " is there twice");
        ranks *= size;
        if (ranks > most_counted) throw InputError("mesh.dims", "more than " + grouped_text(most_counted) + " ranks");
        mesh.dims.emplace_back(name, static_cast<std::int32_t>(size));
    }
    if (const auto order = fields.texts("order"); order) {
        mesh.order = *order;
        std::vector<std::string> sorted = *order, names;
        for (const auto& [name, size] : mesh.dims) names.push_back(name);
        std::sort(sorted.begin(), sorted.end());
        std::sort(names.begin(), names.end());
        if (sorted != names) fields.fail("order", "expected each dimension of the mesh once");
    }
    mesh.extra = fields.unknown();
    return mesh;
}

Json written(const MeshSpec& mesh) {
    Json json = {{"dims", Json::array()}};
    for (const auto& [name, size] : mesh.dims) json["dims"].push_back(Json::array({name, size}));
    if (!mesh.order.empty()) json["order"] = mesh.order;
    add_unknown_fields(json, mesh.extra);
    return json;
}

RoutingSpec read_routing(const Json& value) {
    ObjectReader fields(value, "routing", "an object with group and share");
    RoutingSpec routing;
    routing.group = read_text(fields.require("group", "a mesh dimension"), fields.at("group"));
    fields.require("share", "the part of the tokens of each of its ranks");
    const Json& share = *fields.list("share");
    double sum = 0;
    for (std::size_t i = 0; i < share.size(); ++i)
        sum += routing.share.emplace_back(read_number(share[i], item_place(fields.at("share"), i), 0, 1e12));
    if (sum <= 0) fields.fail("share", "has no tokens");
    routing.extra = fields.unknown();
    return routing;
}

Json written(const RoutingSpec& routing) {
    Json json = {{"group", routing.group}, {"share", routing.share}};
    add_unknown_fields(json, routing.extra);
    return json;
}

constexpr std::array<std::pair<std::string_view, CollectiveAlgorithm>, 3> algorithm_names = {
    {{"ring", CollectiveAlgorithm::ring},
     {"tree", CollectiveAlgorithm::tree},
     {"hierarchical", CollectiveAlgorithm::hierarchical}}};

CollectiveAlgorithm read_algorithm(const Json& value, const std::string& place) {
    const std::string text = read_text(value, place);
    for (const auto& [name, algorithm] : algorithm_names)
        if (name == text) return algorithm;
    throw InputError(place,
                     "found " + in_quotes(shortened(text)) + ", expected \"ring\", \"tree\" or \"hierarchical\"");
}

void read_topology(const Json& value, JobDocument& job) {
    ObjectReader fields(value, "topology", "an object with levels");
    fields.require("levels", "a list, innermost first");
    const Json& levels = *fields.list("levels");
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const std::string place = item_place("topology.levels", i);
        ObjectReader item(levels[i], place, "an object with ranks, latency_ms and bytes_per_s");
        TopologyLevel& level = job.topology.emplace_back();
        level.name = item.text("name");
        item.require("ranks", "the number of ranks within one of these");
        level.ranks = *item.integer("ranks", 1, most_counted);
        level.latency_ms = item.number("latency_ms").value_or(0);
        item.require("bytes_per_s", "the rate of its links");
        level.bytes_per_s = *item.number("bytes_per_s", 1e-3, 1e18);
        if (const std::string contention = item.text("contention"); contention == "shared") {
            level.shared = true;
        } else if (!contention.empty() && contention != "none") {
            item.fail("contention", "found " + in_quotes(shortened(contention)) + ", expected \"shared\" or \"none\"");
        }
        level.links = item.integer("links", 1, most_counted).value_or(1);
        level.oversubscription = item.number("oversubscription", 1, 1e6).value_or(1);
        for (const char* key : {"links", "oversubscription"})
            if (!level.shared && levels[i].contains(key))
                item.fail(key, "is of links that are shared; expected \"contention\": \"shared\" beside it");
        if (i > 0 && level.ranks % job.topology[i - 1].ranks != 0)
            item.fail("ranks", "expected a multiple of the level within, " + std::to_string(job.topology[i - 1].ranks));
        level.extra = item.unknown();
    }
    if (const Json* algorithms = fields.find("algorithms"); algorithms) {
        const std::string place = fields.at("algorithms");
        if (!algorithms->is_object()) fail_type(place, *algorithms, "an object such as {\"all_reduce\": \"tree\"}");
        for (const auto& [kind, name] : algorithms->items())
            job.algorithms.emplace_back(kind, read_algorithm(name, place + "." + kind));
    }
    job.topology_extra = fields.unknown();
}

Json written_topology(const JobDocument& job) {
    Json json = {{"levels", Json::array()}};
    for (const TopologyLevel& level : job.topology) {
        Json item = Json::object();
        if (!level.name.empty()) item["name"] = level.name;
        item["ranks"] = level.ranks;
        if (level.latency_ms > 0) item["latency_ms"] = level.latency_ms;
        item["bytes_per_s"] = level.bytes_per_s;
        if (level.shared) item["contention"] = "shared";
        if (level.links > 1) item["links"] = level.links;
        if (level.oversubscription > 1) item["oversubscription"] = level.oversubscription;
        add_unknown_fields(item, level.extra);
        json["levels"].push_back(std::move(item));
    }
    for (const auto& [kind, algorithm] : job.algorithms)
        json["algorithms"][kind] = std::string(algorithm_names[static_cast<std::size_t>(algorithm)].first);
    add_unknown_fields(json, job.topology_extra);
    return json;
}

}  // namespace overlap::job
