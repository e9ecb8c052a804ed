#pragma once

#include <QDialog>
#include <QString>

class QLabel;
class QListWidget;

namespace overlap::ui {

/// Asks by which cost model the open graph's times are to be estimated: the graph's own, a built-in one, or a file's.
/// Nothing happens before it is accepted.
class CostModelDialog : public QDialog {
    Q_OBJECT

  public:
    /// @param used what is used now, a built-in model's name or a file; empty: the graph as it was read.
    /// @param times_known whether the graph as it was read has times.
    CostModelDialog(const QString& used, bool times_known, QWidget* parent = nullptr);

    /// What is chosen, as `used`.
    QString chosen() const;
    QListWidget& list() { return *list_; }
    /// What is shown of the chosen model.
    QString detailText() const;
    /// Adds a file's model to the list and chooses it; one that cannot be read is reported in the details, and nothing
    /// changes.
    void addFile(const QString& path);

  private:
    void showDetail();
    void askForFile();

    QListWidget* list_;
    QLabel* detail_;
};

}  // namespace overlap::ui
