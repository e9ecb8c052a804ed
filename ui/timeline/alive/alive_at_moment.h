#pragma once

#include <QObject>
#include <functional>
#include <optional>
#include <string>

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
    /// Lists what is alive at `time_ns`, where that is known. Of several points of the curve at that time it is the
    /// last.
    void show(std::int64_t time_ns);
    /// Lists what is alive at the curve's peak, which may hold for no time at all: others may come after it at once.
    void showPeak();
    /// There is no moment: the user lets go of it, or it is of a timeline that is no longer scene.
    void forget();
    /// The scene has another timeline. The moment stays with the compute that ran then, or with the peak where it was
    /// that; where neither is there any more, at its share of the step. Without a curve it is forgotten.
    void follow();
    /// Whether the list is seen. While it is not, nothing is worked out for follow() or listAgain(), until it is.
    void setSeen(bool seen);
    /// What is told of the moment is no longer right.
    void listAgain();

    /// The moment that is listed, if any.
    std::optional<std::int64_t> time_ns() const { return time_ns_; }

  signals:
    /// @param moment the time as text, and that it is the peak.
    void listed(const overlap::ui::AliveTensors& tensors, const QString& moment);
    /// The same for a moment that was listed already, of another timeline.
    void listedAgain(const overlap::ui::AliveTensors& tensors, const QString& moment);
    void forgotten();

  private:
    /// Where the moment is, in words that another timeline understands.
    struct Anchor {
        bool at_peak = false;
        std::string compute;      ///< that runs then; empty where none does
        double into_compute = 0;  ///< share of it that is over
        double share = 0;         ///< of the step that is over
    };
    Anchor anchorAt(std::int64_t time_ns) const;
    std::int64_t placeOf(const Anchor& anchor) const;
    void list(std::int64_t time_ns, Anchor anchor);
    AliveTensors tensors() const;
    QString momentOf() const;

    const TimelineScene& scene_;
    Provider provider_;
    std::optional<std::int64_t> time_ns_;
    Anchor anchor_;  ///< of time_ns_
    bool seen_ = true;
    bool outdated_ = false;  ///< what was listed is not what is alive at time_ns_
};

}  // namespace overlap::ui
