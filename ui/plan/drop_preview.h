#pragma once

#include <QObject>
#include <QStringList>
#include <optional>
#include <string>
#include <vector>

#include "ui/document/background_evaluator.h"

namespace overlap::ui {

class Document;

/// What dropping modules at a place would do, computed while the pointer moves: bytes and time of the bucket at once,
/// step and peak as soon as a background evaluation has them, or why the drop is refused. All of it is of what the drop
/// would put there, which may be less than what is dragged.
class DropPreview : public QObject {
    Q_OBJECT

  public:
    explicit DropPreview(Document& document, QObject* parent = nullptr);

    /// @param target bucket, or -1 for a new one before position `at`.
    void show(const QStringList& modules, int target, int at);
    void clear();

    bool active() const { return active_; }
    int target() const { return target_; }
    /// Empty where the drop is allowed; else one sentence.
    const QString& refusal() const { return refusal_; }
    /// Such as `AG +436 MiB 11.0 → 21.9 ms, RS +872 MiB 21.0 → 41.9 ms`, or that buckets are not applied.
    const QString& weight() const { return weight_; }
    /// Such as `step 1672 → 1665 ms, peak 31.6 → 32 GiB`, and on a line of its own the step with links shared where
    /// that is another one; empty until it is known.
    const QString& outcome() const { return outcome_; }
    /// What becomes of modules that are in buckets, or cannot be put there, in lines; empty where all just go there.
    const QString& remark() const { return put_remark_; }
    /// Weight and outcome in lines of their own, as a card shows them.
    QString figures() const;
    /// The same, and the remark.
    QString text() const;
    /// Text that takes as much room as text() will once the outcome is known.
    QString roomText() const;
    /// Whether the step of a job gets shorter (1), longer (-1) or stays (0).
    int improvement() const { return improvement_; }

  signals:
    void changed();

  private:
    QString outcomeOf(const Evaluation& now, const Evaluation& after) const;
    QString withRemark(const QString& figures) const;
    void weigh(const std::vector<std::string>& modules, int target);
    void showOutcome(const Evaluation& evaluation);

    Document& document_;
    BackgroundEvaluator evaluator_;
    QStringList modules_;
    bool active_ = false;
    int target_ = -1, at_ = -1;
    quint64 request_ = 0;
    QString refusal_, put_remark_, weight_, outcome_;
    int improvement_ = 0;
};

}  // namespace overlap::ui
