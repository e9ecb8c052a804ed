#pragma once

#include <memory>
#include <string_view>

#include "core/graph/editing/graph_editor.h"
#include "core/passes/bucketing/module_bucketing.h"
#include "core/passes/pass.h"

namespace overlap {

/// What is declared of an option that names a bucket mode, for passes where unset means `default`.
PassOption bucket_mode_option(std::string_view name, std::string_view help);

/// The result of a pass that merges buckets and leaves the order open: `graph` itself where there was no bucket, else
/// what the editor holds, with the hazards that show in it.
PassResult bucketed(const std::shared_ptr<const Graph>& graph, GraphEditor& editor, std::string_view pass,
                    PassReport report);

}  // namespace overlap
