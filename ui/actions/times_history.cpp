#include "ui/actions/times_history.h"

#include <QFileInfo>
#include <QUndoCommand>
#include <utility>

#include "ui/cost/graph_cost_model.h"
#include "ui/document/document.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {

/// A change that was made already when it is put on the stack.
class TimesChange : public QUndoCommand {
  public:
    TimesChange(TimesHistory& history, TimesBasis before, TimesBasis after)
        : QUndoCommand(timesChangeText(before, after)),
          history_(history),
          before_(std::move(before)),
          after_(std::move(after)) {}

    void undo() override { history_.apply(before_); }
    void redo() override {
        if (!std::exchange(made_, false)) history_.apply(after_);
    }

  private:
    TimesHistory& history_;
    TimesBasis before_, after_;
    bool made_ = true;
};

QString timesChangeText(const TimesBasis& before, const TimesBasis& after) {
    if (before.cost_model != after.cost_model)
        return after.cost_model.isEmpty()
                   ? TimesHistory::tr("Times as the graph was read")
                   : TimesHistory::tr("Cost model %1").arg(QFileInfo(after.cost_model).fileName());
    if (before.files != after.files)
        return after.files.isEmpty()
                   ? TimesHistory::tr("Times of the graph")
                   : TimesHistory::tr("Times of trace %1").arg(QFileInfo(after.files.front()).fileName());
    if (before.model.compiled != after.model.compiled)
        return after.model.compiled ? TimesHistory::tr("Figures %1").arg(compiledText(*after.model.compiled))
                                    : TimesHistory::tr("Figures as traced");
    if (before.model.contention != after.model.contention)
        return after.model.contention ? TimesHistory::tr("Figures with contention")
                                      : TimesHistory::tr("Figures without contention");
    if (before.model.share_links != after.model.share_links)
        return after.model.share_links ? TimesHistory::tr("Figures with links shared")
                                       : TimesHistory::tr("Figures without links shared");
    return TimesHistory::tr("Attention computes %1 of its scores").arg(formatPercent(after.model.attention_density));
}

TimesHistory::TimesHistory(Document& document, TraceTimes& times, GraphCostModel& cost, QObject* parent)
    : QObject(parent), document_(document), times_(times), cost_(cost) {
    later_.setSingleShot(true);
    later_.setInterval(0);
    connect(&later_, &QTimer::timeout, this, &TimesHistory::look);
    connect(&document, &Document::graphChanged, this, [this] {
        stack_.clear();
        known_.reset();
        restoring_.reset();
        rest_is_left_ = false;
        later_.start();  // after the session has begun to restore
    });
    connect(&document, &Document::timesChanged, &later_, qOverload<>(&QTimer::start));
    connect(&times, &TraceTimes::changed, &later_, qOverload<>(&QTimer::start));
    connect(&cost, &GraphCostModel::changed, &later_, qOverload<>(&QTimer::start));
    // Behind whoever brings back what the graph had before: this is newer.
    connect(&cost, &GraphCostModel::applied, this, [this] {
        if (std::exchange(rest_is_left_, false) && restoring_) applyRest(*restoring_);
    });
    connect(&cost, &GraphCostModel::failed, this, [this] { rest_is_left_ = false; });
}

TimesBasis TimesHistory::basis() const {
    return {cost_.used(), times_.files(), times_.model()};
}

void TimesHistory::look() {
    if (!document_.isOpen() || cost_.busy() || times_.busy()) return;
    const TimesBasis now = basis();
    const std::optional<TimesBasis> before = std::exchange(known_, now);
    // Also where a file that is gone could not be read again.
    if (std::exchange(restoring_, std::nullopt) || !before || *before == now) return;
    stack_.push(new TimesChange(*this, *before, now));
}

void TimesHistory::apply(const TimesBasis& wanted) {
    restoring_ = wanted;
    if (cost_.used() != wanted.cost_model) cost_.use(wanted.cost_model);
    // Also where the model is wanted already and still being read: the graph that it makes is another.
    rest_is_left_ = cost_.busy();
    if (!rest_is_left_) applyRest(wanted);
    later_.start();
}

void TimesHistory::applyRest(const TimesBasis& wanted) {
    if (!wanted.files.isEmpty()) return times_.restore(wanted.files);
    if (!times_.files().isEmpty()) times_.useGraphs();
    times_.useModel(wanted.model);
}

}  // namespace overlap::ui
