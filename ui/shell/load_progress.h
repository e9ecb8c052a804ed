#pragma once

#include <QWidget>

class QLabel;

namespace overlap::ui {

class GraphLoader;

/// In the status bar: which file is being read, and a way to cancel. Appears only where reading takes a moment.
class LoadProgress : public QWidget {
    Q_OBJECT

  public:
    explicit LoadProgress(GraphLoader& loader, QWidget* parent = nullptr);

  private:
    GraphLoader& loader_;
    QLabel* label_;
};

}  // namespace overlap::ui
