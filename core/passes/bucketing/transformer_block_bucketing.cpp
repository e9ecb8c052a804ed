#include "core/passes/bucketing/transformer_block_bucketing.h"

#include <array>

#include "core/passes/bucketing/manual_overlap_bucketing.h"
#include "core/passes/bucketing/module_bucketing.h"

namespace overlap {

namespace {

/// The option of manual_overlap_bucketing that is called `name`, which other passes share.
const PassOption& shared_option(std::string_view name) {
    static const ManualOverlapBucketing manual;
    for (const PassOption& option : manual.options()) {
        if (option.name == name) return option;
    }
    return manual.options().front();
}

}  // namespace

std::string_view JointTransformerBlockBucketing::summary() const {
    return "Buckets the FSDP collectives of a joint forward and backward graph by module, each direction apart, and "
           "overlaps neighbouring buckets";
}

std::span<const PassOption> JointTransformerBlockBucketing::options() const {
    static const std::array<PassOption, 5> declared = {
        shared_option("module_bucket_plans"),
        shared_option("insert_overlap_deps"),
        shared_option("bucket_mode"),
        PassOption{.name = "fsdp_param_module_order",
                   .type = PassOption::Type::module_order,
                   .default_value = nullptr,
                   .help =
                       "Place of each module's parameters in the job: buckets are packed in this order; unset means "
                       "the order of the graph.",
                   .choices = {}},
        shared_option("safe"),
    };
    return declared;
}

PassResult JointTransformerBlockBucketing::run(const std::shared_ptr<const Graph>& graph, const Json& options,
                                               std::stop_token stop) const {
    ModuleBucketing settings;
    settings.pass_name = name();
    settings.plans = options.at("module_bucket_plans");
    settings.source = ModuleSource::module_fqn;
    settings.mode = bucket_mode_by_name(options.value("bucket_mode", Json()));
    settings.insert_overlap_deps = options.value("insert_overlap_deps", Json()) == true;
    settings.safe = options.value("safe", Json()) == true;
    settings.joint = true;
    if (const Json order = options.value("fsdp_param_module_order", Json()); order.is_object()) {
        for (const auto& [module, place] : order.items()) settings.module_order[module] = place.get<std::int64_t>();
    }
    return bucket_by_modules(graph, settings, std::move(stop));
}

std::string_view TransformerBlockBucketing::summary() const {
    return "Buckets the FSDP collectives of a forward or backward graph by module and overlaps neighbouring buckets";
}

std::span<const PassOption> TransformerBlockBucketing::options() const {
    static const std::array<PassOption, 2> declared = [] {
        PassOption plans = shared_option("module_bucket_plans");
        plans.name = "fsdp_manual_buckets";
        return std::array<PassOption, 2>{std::move(plans), shared_option("safe")};
    }();
    return declared;
}

PassResult TransformerBlockBucketing::run(const std::shared_ptr<const Graph>& graph, const Json& options,
                                          std::stop_token stop) const {
    ModuleBucketing settings;
    settings.pass_name = name();
    settings.plans = options.at("fsdp_manual_buckets");
    settings.safe = options.value("safe", Json()) == true;
    return bucket_by_modules(graph, settings, std::move(stop));
}

}  // namespace overlap
