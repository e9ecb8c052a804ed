#pragma once

#include <QHash>
#include <QObject>
#include <QString>

namespace overlap::ui {

class BackgroundEvaluator;
class Document;

/// Why plans of a document have no figures: what their newest evaluations failed with, such as a lack of memory. A
/// child of the document.
class EvaluationFailure : public QObject {
    Q_OBJECT

  public:
    EvaluationFailure(const BackgroundEvaluator& evaluator, Document& document);

    /// Of the plan that is shown, as it is now; empty where its evaluation did not fail.
    QString ofCurrent() const;

  private:
    Document& document_;
    QHash<quint64, QString> reasons_;  ///< by keys of variants
};

/// What the newest evaluation of the shown plan failed with; empty where it did not. Without full stop.
QString evaluationFailure(const Document& document);

/// Why the figures of the shown plan are not there: they are being worked out, or that failed, with the reason. Without
/// full stop. `Document::failed` says that it has become another.
QString whyNotEvaluated(const Document& document);

}  // namespace overlap::ui
