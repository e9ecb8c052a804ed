#pragma once

#include <QWidget>

class QTabBar;

namespace overlap::ui {

class Document;
class Measurements;

/// The variants as tabs, the baseline first, then the measurements, and a button for a new plan. A dot marks edits that
/// no file has.
class VariantBar : public QWidget {
    Q_OBJECT

  public:
    VariantBar(Document& document, Measurements& measurements, QWidget* parent = nullptr);

    QTabBar* tabs() { return tabs_; }
    QSize minimumSizeHint() const override;

  signals:
    void newWanted();
    void closeWanted(int index);
    void closeMeasurementWanted(int index);
    void renameWanted(int index);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void update();
    void updateVariants();
    void updateMeasurements();
    void showTab(int tab);
    void closeTab(int tab);

    Document& document_;
    Measurements& measurements_;
    QTabBar* tabs_;
    bool updating_ = false;
};

}  // namespace overlap::ui
