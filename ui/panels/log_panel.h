#pragma once

#include <QListView>

namespace overlap::ui {

class Log;

/// The log as lines that can be selected and copied; keeps to the end unless it was scrolled away from it.
class LogPanel : public QListView {
    Q_OBJECT

  public:
    explicit LogPanel(Log& log, QWidget* parent = nullptr);

  protected:
    void keyPressEvent(QKeyEvent* event) override;
};

}  // namespace overlap::ui
