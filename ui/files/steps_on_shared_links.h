#pragma once

#include <memory>
#include <stop_token>

#include "core/pipeline/evaluation.h"

namespace overlap::ui {

/// with_links_shared(), kept until the next call after the evaluation is gone: all views show the same one, whoever
/// asks first, on whatever thread. Takes as long as a simulation the first time, so that who makes an evaluation for
/// views asks on the thread that made it. Nobody waits for one that another thread makes.
/// @returns null for null, and where `stop` was requested before there was one.
std::shared_ptr<const Evaluation> withLinksShared(const std::shared_ptr<const Evaluation>& evaluation,
                                                  std::stop_token stop = {});

}  // namespace overlap::ui
