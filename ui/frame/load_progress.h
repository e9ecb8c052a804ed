#pragma once

#include <QTimer>
#include <QWidget>

class QLabel;
class QProgressBar;

namespace overlap::ui {

/// In the status bar: which file is being read, the progress, and a button to cancel. Appears only where reading takes
/// a moment.
class LoadProgress : public QWidget {
    Q_OBJECT

  public:
    explicit LoadProgress(QWidget* parent = nullptr);

  public slots:
    void start(const QString& path);
    /// @param share that has been read, from 0 to 1. Until it is known, the bar only shows that something happens.
    void setShare(double share);
    void finish();

  signals:
    void cancelWanted();

  private:
    QLabel* label_;
    QProgressBar* bar_;
    QTimer delay_;
};

}  // namespace overlap::ui
