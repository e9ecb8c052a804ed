#pragma once

#include <QAbstractScrollArea>
#include <QObject>
#include <functional>
#include <optional>

#include "ui/timeline/alive_panel.h"
#include "ui/timeline/drawing/timeline_scene.h"

namespace overlap::ui {

/// The moment of a timeline for which it is listed what is alive, and that list beside it.
class AliveAtMoment : public QObject {
    Q_OBJECT

  public:
    /// What is alive at a point of the timeline's memory curve.
    using Provider = std::function<AliveTensors(std::size_t point)>;

    /// @param scene what `view` shows; both outlive this object. The list appears on the view, which owns it.
    AliveAtMoment(const TimelineScene& scene, QAbstractScrollArea& view);

    void setProvider(Provider provider);
    /// Whether there is a provider, and a memory curve to ask it about.
    bool canShow() const;
    /// Lists what is alive at `time_ns`, where that is known.
    void show(std::int64_t time_ns);
    /// Closes the list: the moment is of a timeline that is no longer scene.
    void forget();
    /// Beside the moment rather than upon it, as high as there is room in the view: the list is long.
    void layOut();

    /// The moment that is listed, if any.
    std::optional<std::int64_t> time_ns() const { return time_ns_; }

  signals:
    /// What allocates a tensor of the list was chosen.
    void chosen(quint32 reference);
    /// The moment is another one, or none.
    void changed();
    /// The user closed the list.
    void closed();

  private:
    AlivePanel& panel();

    const TimelineScene& scene_;
    QAbstractScrollArea& view_;
    Provider provider_;
    AlivePanel* panel_ = nullptr;  ///< made when it is first needed
    std::optional<std::int64_t> time_ns_;
};

}  // namespace overlap::ui
