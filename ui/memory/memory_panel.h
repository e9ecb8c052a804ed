#pragma once

#include <QHash>
#include <QWidget>
#include <memory>

#include "core/passes/memory/memory_rules.h"
#include "ui/document/background_evaluator.h"
#include "ui/memory/policy_search.h"
#include "ui/widgets/seen_refresh.h"
#include "ui/widgets/seen_watch.h"

class QSpinBox;

namespace overlap::ui {

class BarSentence;
class Document;
class KindBar;
class LimitField;
class MemoryEffects;
class MemoryRulesModel;
class MemoryRulesView;
class PolicyBox;
class PolicyChart;

/// What is saved, computed again, offloaded and kept gathered: the memory section of the current plan as a policy with
/// rules, what is held at the peak, and the policies as points of step against peak. The chart's points are only
/// evaluated while the panel is visible.
class MemoryPanel : public QWidget {
    Q_OBJECT

  public:
    explicit MemoryPanel(Document& document, QWidget* parent = nullptr);

    PolicyBox* policy() { return policy_; }
    MemoryRulesModel* model() { return model_; }
    MemoryRulesView* view() { return view_; }
    PolicyChart* chart() { return chart_; }
    /// The limit of the peak whose fastest policy the chart tells; 0: what the device holds.
    LimitField* limit() { return limit_; }
    /// The limit of the field, in GiB; 0 is what the device holds.
    void setLimit(double gib);
    /// The same as it was typed, which readLimit() understands; empty is what the device holds.
    void takeLimit(const QString& typed);
    /// The same as it was typed once.
    void restoreLimit(const QString& typed, double gib);
    KindBar* kinds() { return kinds_; }
    MemoryEffects* effects() { return effects_; }
    /// Step and peak of the plan, or of what a drop would make of it.
    QString caption() const;
    bool busy() const;

  signals:
    void refused(const QString& reason);
    /// The limit of the peak is another one; 0: what the device holds.
    void limitChanged(qint64 bytes);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    QWidget* makeBar();
    void takeGraph();
    void nameEmptyLimit();
    void showSection();
    void showFigures();
    void showHeld();
    void findPoints();
    void findEffects();
    void showEffects();
    void preview(MemoryAction action, const QStringList& modules);
    void choose(const MemoryChoice& choice);

    Document& document_;
    MemoryRulesModel* model_;
    MemoryRulesView* view_;
    PolicyBox* policy_;
    LimitField *budget_, *limit_;
    QSpinBox *prefetch_, *deferral_;
    BarSentence* caption_;
    PolicyChart* chart_;
    QWidget* bar_ = nullptr;
    KindBar* kinds_;
    MemoryEffects* effects_;
    SeenRefresh refresh_;
    SeenWatch watch_{*this};
    std::optional<Plan> points_of_;              ///< the plan, without its memory section, that the points are of
    std::shared_ptr<const Graph> graph_;         ///< that they are of
    std::shared_ptr<const ModuleTree> modules_;  ///< whose layers they name
    std::shared_ptr<const TimeSource> source_;   ///< whose times they have
    QString limit_of_;                           ///< graph whose limit is shown, by its path
    QHash<QString, std::pair<QString, double>> limits_;  ///< of the graphs that were open before, and as typed
    quint64 previewed_ = 0;
    MemoryAction dragged_action_ = MemoryAction::save;
    QStringList dragged_;
    PolicySearch search_;
    BackgroundEvaluator preview_;
    LatestTask held_task_;
};

}  // namespace overlap::ui
