#include "ui/timeline/drawing/timeline_notes.h"

#include <QCoreApplication>
#include <QHash>

#include "ui/theme/numbers.h"
#include "ui/timeline/drawing/ruler.h"

namespace overlap::ui {
namespace {

QString translated(const char* text) {
    return QCoreApplication::translate("TimelineView", text);
}

}  // namespace

std::vector<PlacedNote> placed(const std::vector<TimelineNote>& notes, const Timeline& timeline) {
    std::vector<PlacedNote> places;
    QHash<QByteArray, std::vector<std::size_t>> wanted;
    for (const TimelineNote& note : notes) {
        if (!note.event.isEmpty()) wanted[note.event.toUtf8()].push_back(places.size());
        places.push_back({note.time, {}});
    }
    if (wanted.isEmpty()) return places;
    QHash<std::uint32_t, std::vector<std::size_t>> wantedNames;
    for (std::uint32_t name = 0; name < timeline.name_count(); ++name) {
        const std::string_view text = timeline.name(name);
        const auto found = wanted.constFind(QByteArray(text.data(), static_cast<qsizetype>(text.size())));
        if (found != wanted.constEnd()) wantedNames.insert(name, *found);
    }
    if (wantedNames.isEmpty()) return places;
    // A name may repeat, as a kernel's in each step does: the one that is nearest to where it was is meant.
    for (std::uint32_t lane = 0; lane < timeline.lanes().size(); ++lane) {
        const Lane& events = timeline.lanes()[lane];
        for (std::uint32_t event = 0; event < events.size(); ++event) {
            const auto found = wantedNames.constFind(events.name[event]);
            if (found == wantedNames.constEnd() || events.role[event] == EventRole::exposed) continue;
            for (const std::size_t index : *found) {
                PlacedNote& place = places[index];
                const std::int64_t noted = notes[index].time.begin_ns;
                const auto distance = [&](std::int64_t begin_ns) { return std::abs(begin_ns - noted); };
                if (place.location.valid() && distance(place.time.begin_ns) <= distance(events.start_ns[event]))
                    continue;
                place = {events.event(event), {lane, event}};
            }
        }
    }
    return places;
}

QString noteTime(std::int64_t time_ns) {
    return momentText(time_ns, {{0, std::max<std::int64_t>(1, time_ns)}, 1000});
}

QString noteTitle(const TimelineNote& note) {
    const QString where = note.event.isEmpty() ? noteTime(note.time.begin_ns) : note.event;
    if (note.text.isEmpty()) return translated("Bookmark at %1").arg(where);
    return QStringLiteral("%1 — %2").arg(note.text, where);
}

}  // namespace overlap::ui
