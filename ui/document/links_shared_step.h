#pragma once

#include <memory>

#include "core/pipeline/evaluation.h"
#include "ui/files/steps_on_shared_links.h"

namespace overlap::ui {

class Document;

/// The step that views of times show of the current plan: Document::evaluation() with links shared, so that figures of
/// single collectives add up to those of the toolbar. Null where there is none.
std::shared_ptr<const Evaluation> shownEvaluation(const Document& document);
/// The same of the graph without any pass.
std::shared_ptr<const Evaluation> shownBaseline(const Document& document);

/// Whether the step has links shared that the graph's cost model does not share, so that views say it.
bool sharesLinks(const Evaluation& evaluation);

}  // namespace overlap::ui
