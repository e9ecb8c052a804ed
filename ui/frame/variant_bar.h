#pragma once

#include <QWidget>
#include <memory>

#include "core/plan/plan_colour.h"

class QMenu;
class QTabBar;
class QToolButton;
class QAction;

namespace overlap::ui {

class Document;
class Measurements;
class VariantTabs;
struct Measurement;

/// The variants as tabs, the baseline first, then the measurements, and a button for a new plan. A dot behind the
/// title marks edits that are in no file, a mark before it is the colour that the user gave the plan.
class VariantBar : public QWidget {
    Q_OBJECT

  public:
    VariantBar(Document& document, Measurements& measurements, QWidget* parent = nullptr);

    QTabBar* tabs();
    /// The title of a tab as it is drawn, elided where it is longer than there is room.
    QString drawnTitle(int tab) const;
    /// In which all tabs are seen, each with as few letters of its title as it may have.
    int elidedWidth() const;
    QSize minimumSizeHint() const override;

    /// What the button for a new plan offers.
    void setNewPlans(const QList<QAction*>& actions);
    /// The actions in the context menu of a tab; none for the baseline.
    void fillMenu(QMenu& menu, int tab);

  signals:
    void closeWanted(int index);
    void closeMeasurementWanted(int index);
    void renameWanted(int index);
    void noteWanted(int index);
    void colourWanted(int index, overlap::PlanColour colour);
    /// Figures are to use a measurement's times; null: the graph's own.
    void timesWanted(const std::shared_ptr<const overlap::ui::Measurement>& measurement);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void update();
    void updateVariants();
    void updateMeasurements();
    void showTab(int tab);
    void closeTab(int tab);
    bool isOfOtherGraph(int measurement) const;
    /// Whether figures are of this measurement's times.
    bool timesAreOf(const Measurement& measurement) const;

    Document& document_;
    Measurements& measurements_;
    VariantTabs* tabs_;
    QToolButton* add_;
    bool updating_ = false;
};

}  // namespace overlap::ui
