#pragma once

#include <memory>

#include "core/pipeline/evaluation.h"

namespace overlap::ui {

class Document;

/// with_links_shared(), kept as long as the evaluation is: all views show the same one, whoever asks first, on whatever
/// thread. Takes as long as a simulation the first time.
/// @returns null for null.
std::shared_ptr<const Evaluation> withLinksShared(const std::shared_ptr<const Evaluation>& evaluation);

/// The step that views of times show of the current plan: Document::evaluation() with links shared, so that figures of
/// single collectives add up to those of the toolbar. Null where there is none.
std::shared_ptr<const Evaluation> shownEvaluation(const Document& document);
/// The same of the graph without any pass.
std::shared_ptr<const Evaluation> shownBaseline(const Document& document);

/// Whether the step has links shared that the graph's cost model does not share, so that views say it.
bool sharesLinks(const Evaluation& evaluation);

}  // namespace overlap::ui
