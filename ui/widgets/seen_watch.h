#pragma once

#include <QObject>
#include <QPointer>

class QDockWidget;
class QWidget;

namespace overlap::ui {

/// Tells when a widget comes into sight. Qt calls a dock visible that is behind another one in their tabs, and so what
/// is in it.
class SeenWatch : public QObject {
    Q_OBJECT

  public:
    explicit SeenWatch(QWidget& widget);

    /// Whether it is shown and not behind another dock.
    bool isSeen() const;

  signals:
    void seen();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void follow(QDockWidget* dock);

    QWidget& widget_;
    QPointer<QDockWidget> dock_;  ///< that it is in
};

}  // namespace overlap::ui
