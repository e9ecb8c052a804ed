#pragma once

#include <QRectF>
#include <functional>
#include <vector>

#include "ui/timeline/drawing/timeline_scene.h"

namespace overlap::ui {

/// Events of process groups that one drag or menu is about, by what they represent: chosen one by one, or by a band
/// that is drawn around them.
class ChosenEvents {
  public:
    /// Whether what a reference represents can be moved now; the pointer chooses nothing else. Without it, nothing.
    using Movable = std::function<bool(quint32 reference)>;
    void setMovable(Movable movable) { movable_ = std::move(movable); }

    /// In the order in which they were chosen.
    const std::vector<quint32>& references() const { return references_; }
    /// Whether several are chosen, and this is one of them.
    bool moveTogether(quint32 reference) const;
    /// Those that have an event in a lane of a process group. Whether they can be moved is asked when they are: while a
    /// plan is evaluated none can, and a choice outlasts that.
    void set(const Timeline& timeline, const std::vector<quint32>& references);
    /// Adds the event, or leaves it out. @param first is chosen along with it where nothing is chosen yet.
    void toggle(const Timeline& timeline, EventLocation event, EventLocation first);
    void clear() { references_.clear(); }

    /// A band is drawn: to what was chosen before come all events that it touches.
    void beginBand() { beforeBand_ = references_; }
    void chooseIn(const TimelineScene& scene, const QRectF& band);
    /// The same for all lanes, those that are out of view too.
    void chooseDuring(const TimelineScene& scene, TimeRange times);
    void cancelBand() { references_ = beforeBand_; }

  private:
    bool canBeChosen(const Timeline& timeline, EventLocation event) const;
    bool contains(quint32 reference) const;
    void choose(const TimelineScene& scene, TimeRange times, const std::function<bool(std::uint32_t lane)>& isTouched);

    Movable movable_;
    std::vector<quint32> references_, beforeBand_;
};

}  // namespace overlap::ui
