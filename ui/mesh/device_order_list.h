#pragma once

#include <QWidget>
#include <vector>

class QLabel;
class QListWidget;
class QPushButton;
class QToolButton;

namespace overlap::ui {

/// A device order of the current plan, in words.
struct DeviceOrderRow {
    QString pattern;  ///< of parameters
    QString detail;   ///< the order and what it is expected to save
    QString warning;  ///< what is wrong with it; empty for nothing
    QString help;     ///< all of it, for the tool tip

    bool operator==(const DeviceOrderRow&) const = default;
};

/// The current plan's device orders, with what can be done to them. What they are comes from MeshConnection.
class DeviceOrderList : public QWidget {
    Q_OBJECT

  public:
    explicit DeviceOrderList(QWidget* parent = nullptr);

    /// @param editable false for a plan that cannot be changed.
    void show(const std::vector<DeviceOrderRow>& rows, bool editable);
    /// Why the shown order cannot be taken; empty where it can.
    void setRefusal(const QString& reason);

    /// The chosen row, or -1.
    int current() const;
    void setCurrent(int row);

  signals:
    /// The shown order is wanted for parameters that match a pattern.
    void takeWanted();
    /// A row was chosen, to be looked at.
    void chosen(int row);
    void editWanted(int row);
    void removeWanted(int row);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void updateButtons();

    std::vector<DeviceOrderRow> rows_;
    bool editable_ = false;
    QPushButton* take_;
    QLabel* title_;
    QListWidget* list_;
    QToolButton *edit_, *remove_;
};

}  // namespace overlap::ui
