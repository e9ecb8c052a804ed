#include "ui/panels/exposed_moves.h"

#include <QStringList>
#include <cstddef>
#include <utility>

#include "core/advice/named_moves.h"
#include "ui/document/document.h"
#include "ui/document/links_shared_step.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {
namespace {

constexpr int delay_ms = 300;  ///< edits that follow one another are not evaluated in between

}  // namespace

ExposedMoves::ExposedMoves(Document& document, QObject* parent) : QObject(parent), document_(document) {
    delay_.setSingleShot(true);
    delay_.setInterval(delay_ms);
    connect(&delay_, &QTimer::timeout, this, &ExposedMoves::find);
    for (const auto signal : {&Document::evaluationChanged, &Document::planChanged, &Document::timesChanged})
        connect(&document, signal, this, &ExposedMoves::begin);
}

void ExposedMoves::setWanted(bool wanted) {
    if (std::exchange(wanted_, wanted) == wanted) return;
    if (wanted) return begin();
    // Also when the window goes, and the document has gone before its widgets.
    delay_.stop();
    task_.cancel();
}

void ExposedMoves::begin() {
    const std::shared_ptr<const Evaluation> evaluation = shownEvaluation(document_);
    if (of_ != evaluation) {
        of_.reset();
        told_.clear();
    }
    delay_.stop();
    task_.cancel();
    const bool possible = evaluation && document_.editable() && !document_.current()->stale();
    if (wanted_ && possible && !of_) delay_.start();
}

void ExposedMoves::find() {
    task_.start([this, evaluation = shownEvaluation(document_)](std::stop_token stop) -> LatestTask::Delivery {
        std::map<std::string, std::vector<std::string>> told;
        for (const Problem& problem : evaluation->problems) {
            if (problem.kind != ProblemKind::exposed) continue;
            const NodeId start = evaluation->graph->find(problem.nodes.front());
            const std::int32_t collective = evaluation->simulation.collective_of_node[start];
            told[problem.nodes.front()] =
                evaluated_moves(evaluation, static_cast<std::size_t>(collective), RefusedMoves::told, stop);
            if (stop.stop_requested()) return {};
        }
        return [this, evaluation, told = std::move(told)] {
            of_ = evaluation;
            told_ = told;
            emit changed();
        };
    });
}

QString ExposedMoves::told(const Problem& problem) const {
    if (problem.kind != ProblemKind::exposed || problem.nodes.empty() || !of_ || of_ != shownEvaluation(document_))
        return {};
    const auto found = told_.find(problem.nodes.front());
    if (found == told_.end()) return {};
    QStringList sentences;
    for (const std::string& sentence : found->second)
        sentences.append(withUnbrokenUnits(QString::fromStdString(sentence)) + u'.');
    return sentences.join(u'\n');
}

}  // namespace overlap::ui
