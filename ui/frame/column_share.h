#pragma once

#include <QMainWindow>
#include <QObject>
#include <array>
#include <optional>

class QDockWidget;

namespace overlap::ui {

/// How two docks, one above the other, share their column: the upper one has the larger part while it has cards, else
/// the lower one. The sizes that the user gives them are kept for the next time.
class ColumnShare : public QObject {
    Q_OBJECT

  public:
    /// What the upper dock shows: a note on an automatic result, a hint on how to begin, or cards.
    enum class Upper { note, hint, cards };

    ColumnShare(QMainWindow& window, QDockWidget& upper, QDockWidget& lower);

    /// Divides the column again when what the upper dock shows has changed.
    void show(Upper upper);

  private:
    bool inOneColumn() const;

    QMainWindow& window_;
    QDockWidget& upper_;
    QDockWidget& lower_;
    std::optional<Upper> shown_;
    std::array<double, 3> upper_share_{0.3, 0.46, 0.64};  ///< of both heights, by Upper
};

}  // namespace overlap::ui
