#pragma once

#include <QTimer>
#include <QUndoStack>
#include <optional>

#include "ui/measure/trace_times.h"

namespace overlap::ui {

class Document;
class GraphCostModel;

/// What figures of all plans are of: the graph's times, a cost model's or a trace's, and how the job is modelled.
struct TimesBasis {
    QString cost_model;  ///< name or file; empty: the graph as it was read
    QStringList files;   ///< traces whose times are used
    JobModel model;

    bool operator==(const TimesBasis&) const = default;
};

/// Changes of what figures are of, as edits that can be undone: they concern all plans of the graph, so they are no
/// edits of one. It watches, whoever makes them; what the session restores with a graph is where it begins.
class TimesHistory : public QObject {
    Q_OBJECT

  public:
    /// All of them must outlive it.
    TimesHistory(Document& document, TraceTimes& times, GraphCostModel& cost, QObject* parent = nullptr);

    QUndoStack& undoStack() { return stack_; }

  private:
    friend class TimesChange;

    TimesBasis basis() const;
    void look();
    void apply(const TimesBasis& wanted);
    void applyRest(const TimesBasis& wanted);

    Document& document_;
    TraceTimes& times_;
    GraphCostModel& cost_;
    QUndoStack stack_;
    QTimer later_;                         ///< several signals tell of one change
    std::optional<TimesBasis> known_;      ///< as it was last; nothing before the graph's is known
    std::optional<TimesBasis> restoring_;  ///< by undo or redo, until it is there
    bool rest_is_left_ = false;            ///< of `restoring_`, until its cost model has been read
};

/// What a change did, for display: `Cost model h100-sxm`.
QString timesChangeText(const TimesBasis& before, const TimesBasis& after);

}  // namespace overlap::ui
