#pragma once

#include <QDockWidget>
#include <QMainWindow>
#include <QtTest>

namespace overlap::ui {

/// A window with a widget in a dock that is behind another one, where Qt calls it visible. The widget stays whose it
/// was.
class DockedBehind {
  public:
    explicit DockedBehind(QWidget& widget) : widget_(widget) {
        window_.setCentralWidget(new QWidget);
        front_.setWidget(new QWidget);
        behind_.setWidget(&widget);
        for (QDockWidget* dock : {&front_, &behind_}) {
            dock->setWindowTitle(QStringLiteral("dock"));
            dock->widget()->setMinimumSize(80, 80);
        }
        window_.addDockWidget(Qt::BottomDockWidgetArea, &front_);
        window_.tabifyDockWidget(&front_, &behind_);
        front_.raise();
        window_.resize(1000, 600);
        window_.show();
        // The window puts docks behind others only when all are shown.
        const bool behind = QTest::qWaitFor(
            [this] { return front_.isVisible() && !window_.rect().intersects(behind_.geometry()); }, 10'000);
        if (!behind) qFatal("the dock is not behind the other one");
    }
    ~DockedBehind() { widget_.setParent(nullptr); }

    /// Brings it into sight.
    void raise() { behind_.raise(); }
    /// Puts it behind again.
    void lower() { front_.raise(); }

  private:
    QWidget& widget_;
    QMainWindow window_;
    QDockWidget front_, behind_;
};

}  // namespace overlap::ui
