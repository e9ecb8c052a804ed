#include "ui/document/evaluation_failure.h"

#include "ui/document/document.h"

namespace overlap::ui {

EvaluationFailure::EvaluationFailure(const BackgroundEvaluator& evaluator, Document& document)
    : QObject(&document), document_(document) {
    connect(&evaluator, &BackgroundEvaluator::failed, this,
            [this](quint64 key, const QString& reason) { reasons_.insert(key, reason); });
    connect(&evaluator, &BackgroundEvaluator::ready, this, [this](quint64 key) { reasons_.remove(key); });
    connect(&document, &Document::planChanged, this, [this] {
        if (document_.current()) reasons_.remove(document_.current()->key());
    });
    for (const auto signal : {&Document::graphChanged, &Document::timesChanged})
        connect(&document, signal, this, [this] { reasons_.clear(); });
}

QString EvaluationFailure::ofCurrent() const {
    return document_.evaluating() || !document_.current() ? QString() : reasons_.value(document_.current()->key());
}

QString evaluationFailure(const Document& document) {
    return document.findChild<EvaluationFailure*>(QString(), Qt::FindDirectChildrenOnly)->ofCurrent();
}

QString whyNotEvaluated(const Document& document) {
    const QString reason = evaluationFailure(document);
    return reason.isEmpty() ? Document::tr("The plan is being evaluated")
                            : Document::tr("The plan could not be evaluated: %1").arg(reason);
}

}  // namespace overlap::ui
