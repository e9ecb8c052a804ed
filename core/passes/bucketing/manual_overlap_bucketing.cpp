#include "core/passes/bucketing/manual_overlap_bucketing.h"

#include "core/passes/bucketing/module_bucketing.h"

namespace overlap {

PassResult ManualOverlapBucketing::run(const std::shared_ptr<const Graph>& graph, const Json& options,
                                       std::stop_token stop) const {
    ModuleBucketing settings;
    settings.pass_name = name();
    settings.plans = options.at("module_bucket_plans");
    settings.source =
        options.value("module_stack_fn", Json()).is_null() ? ModuleSource::module_stack : ModuleSource::module_fqn;
    settings.mode = bucket_mode_by_name(options.value("bucket_mode", Json()));
    settings.insert_overlap_deps = options.value("insert_overlap_deps", Json()) == true;
    settings.safe = options.value("safe", Json()) == true;
    return bucket_by_modules(graph, settings, std::move(stop));
}

}  // namespace overlap
