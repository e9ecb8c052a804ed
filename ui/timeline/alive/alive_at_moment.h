#pragma once

#include <QObject>
#include <functional>
#include <optional>

#include "ui/timeline/alive/alive_tensors.h"
#include "ui/timeline/drawing/timeline_scene.h"

namespace overlap::ui {

/// The moment of a timeline for which it is asked what is alive.
class AliveAtMoment : public QObject {
    Q_OBJECT

  public:
    /// What is alive at a point of the timeline's memory curve.
    using Provider = std::function<AliveTensors(std::size_t point)>;

    /// @param scene what a view shows; outlives this object.
    explicit AliveAtMoment(const TimelineScene& scene);

    void setProvider(Provider provider);
    /// Whether there is a provider, and a memory curve to ask it about.
    bool canShow() const;
    /// Lists what is alive at `time_ns`, where that is known.
    void show(std::int64_t time_ns);
    /// There is no moment: the user lets go of it, or it is of a timeline that is no longer scene.
    void forget();

    /// The moment that is listed, if any.
    std::optional<std::int64_t> time_ns() const { return time_ns_; }

  signals:
    /// @param moment the time as text.
    void listed(const overlap::ui::AliveTensors& tensors, const QString& moment);
    void forgotten();

  private:
    const TimelineScene& scene_;
    Provider provider_;
    std::optional<std::int64_t> time_ns_;
};

}  // namespace overlap::ui
