#pragma once

#include <QObject>
#include <QPointer>
#include <QString>
#include <memory>
#include <optional>

#include "core/bound/step_parts.h"
#include "core/pipeline/evaluation.h"
#include "ui/tasks/latest_task.h"

namespace overlap::ui {

class Document;

/// How far the step of the current variant is above the best there can be, found in the background: 2.7 % above what
/// these links allow; or why no bound is known. Nothing for plans that are refused, without times or with measured
/// ones.
class StepGap : public QObject {
    Q_OBJECT

  public:
    struct Gap {
        double bound_ms = 0;
        /// Of the bound, by which the step is above it: the step with links shared where the figures do not share them.
        double share = 0;
        bool any_order = false;    ///< of the bound for any order of compute, since the plan changes it
        bool every_order = false;  ///< the bound holds whatever the order of compute
        /// The bound for any order of compute, also where the plan keeps it; 0 where none is known.
        double any_order_ms = 0;
        std::shared_ptr<const Evaluation> of;  ///< the plan's
        StepParts parts;                       ///< of its step
        QString moved;                         ///< which heavy compute the plan moves, as a clause; else empty
        QString reason;
        /// Why there is none, as a sentence without full stop, where the figures above are 0. Else empty.
        QString none;
        QString none_briefly;  ///< the same in two or three words, for the toolbar
    };

    /// @param document may be gone earlier: nothing is found then.
    explicit StepGap(Document& document, QObject* parent = nullptr);

    /// Of the newest evaluation; nothing while it is not known.
    const std::optional<Gap>& gap() const { return gap_; }
    /// Whether it is being found.
    bool coming() const { return coming_; }
    /// Of an older evaluation of the graph; nothing before the first one.
    const std::optional<Gap>& last() const { return last_; }

  signals:
    void changed();

  private:
    struct Bounds;

    void find();

    QPointer<Document> document_;
    std::shared_ptr<Bounds> bounds_;  ///< of the open graph: found once for all its plans
    std::optional<Gap> gap_, last_;
    bool coming_ = false;
    LatestTask task_;
};

}  // namespace overlap::ui
