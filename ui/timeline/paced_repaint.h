#pragma once

#include <QBasicTimer>
#include <QElapsedTimer>
#include <QObject>
#include <QRegion>
#include <cstdint>

class QWidget;

namespace overlap::ui {

/// Gathers what has changed in a widget and repaints it at most every 16 ms, so that many changes cost one frame. What
/// each frame takes goes to the logging category `overlap.timeline.frametime`.
class PacedRepaint : public QObject {
    Q_OBJECT

  public:
    /// @param widget outlives this object, and calls frameBegins() and frameEnds() when it paints.
    explicit PacedRepaint(QWidget& widget);

    /// All of the widget has changed.
    void request();
    /// Only `region` of it has.
    void request(const QRegion& region);

    /// True from a request until the widget is told to repaint.
    bool pending() const { return next_.isActive(); }

    void frameBegins();
    /// @param rasterised how often events were rasterised so far, for the log.
    void frameEnds(std::uint64_t rasterised);

  protected:
    void timerEvent(QTimerEvent* event) override;

  private:
    QWidget& widget_;
    QRegion changed_;
    QBasicTimer next_;
    QElapsedTimer sinceFrame_;  ///< since the last one began
    double worst_ms_ = 0;
};

}  // namespace overlap::ui
