#pragma once

#include <QObject>
#include <memory>
#include <optional>
#include <vector>

#include "ui/tasks/latest_task.h"
#include "ui/timeline/event_finder.h"

class QRect;
class QWidget;

namespace overlap::ui {

class FindBar;

/// The search in a timeline: the field to type in, and what it finds. Timelines of many events are searched on another
/// thread; a step to the next match that is asked for meanwhile is made once they have been.
class EventSearch : public QObject {
    Q_OBJECT

  public:
    /// @param place the widget that the field appears on; it owns it.
    explicit EventSearch(QWidget* place);

    /// What is searched from now on, with the same query.
    void setTimeline(std::shared_ptr<const Timeline> timeline);
    /// Further text that a search looks at, such as an event's module; on this thread.
    void setMoreText(EventFinder::MoreText more);

    /// Shows the field, ready to be typed into; show() says where.
    void open();
    /// Shows the field with `query`, and searches; show() says where.
    void find(const QString& query);
    /// Says what was found and lays the field at the right end of `line`, unless it is closed.
    /// @param selection counts where it is a match.
    void show(EventLocation selection, const QRect& line);
    /// Of that line; 0 while the field is closed.
    int width() const;

    const EventFinder& finder() const { return finder_; }
    /// Matches by pixel of the whole timeline.
    const std::vector<std::uint32_t>& density(int width_px) { return finder_.density(width_px); }

  signals:
    /// Others events match than before, or a search has begun.
    void changed();
    /// The next match is to be selected, or for -1 the one before: finder().next() says which.
    void stepWanted(int step);
    void closed();

  private:
    void search(const QString& query);
    void take(EventMatches found);
    void choose(std::optional<std::size_t> duration);
    void showDurations();
    void step(int step);

    std::shared_ptr<const Timeline> timeline_;
    EventFinder finder_;
    EventFinder::MoreText more_;
    int wantedStep_ = 0;  ///< asked for while a search is under way
    FindBar* bar_;
    LatestTask task_;  // last: what it delivers uses the members above
};

}  // namespace overlap::ui
