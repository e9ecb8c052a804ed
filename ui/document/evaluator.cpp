#include "ui/document/evaluator.h"

namespace overlap::ui {

Evaluator::Evaluator(QObject* parent, Function evaluate)
    : QObject(parent), evaluate_(evaluate ? std::move(evaluate) : Function(overlap::evaluate)) {
    connect(&task_, &LatestTask::busyChanged, this, &Evaluator::busyChanged);
}

void Evaluator::request(std::shared_ptr<const Graph> graph, Plan plan, quint64 key) {
    task_.start(
        [this, graph = std::move(graph), plan = std::move(plan), key](std::stop_token stop) -> LatestTask::Delivery {
            try {
                auto evaluation = evaluate_(graph, plan, stop);
                if (!evaluation) return {};
                return [this, key, evaluation] { emit ready(key, evaluation); };
            } catch (const std::exception& error) {
                return [this, key, reason = QString::fromUtf8(error.what())] { emit failed(key, reason); };
            }
        });
}

}  // namespace overlap::ui
