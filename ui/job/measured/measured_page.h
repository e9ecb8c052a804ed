#pragma once

#include <QWidget>

#include "ui/job/open/open_job.h"

class QLabel;
class QTreeView;

namespace overlap::ui {

class MeasuredModel;

/// Measured ranks as a table, below what is to be known of them all.
class MeasuredPage : public QWidget {
    Q_OBJECT

  public:
    explicit MeasuredPage(OpenJob& job, QWidget* parent = nullptr);

    QTreeView& table() { return *table_; }
    /// What is said above it.
    QString notes() const;

  signals:
    /// The user wants to see an event of the job's timeline.
    void activated(quint32 reference);

  private:
    void update();

    OpenJob& job_;
    MeasuredModel* model_;
    QTreeView* table_;
    QLabel* notes_;
};

}  // namespace overlap::ui
