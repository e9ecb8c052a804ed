#include "ui/actions/timeline_actions.h"

#include <QCoreApplication>

#include "ui/frame/actions.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {
namespace {

QString text(const char* words) {
    return QCoreApplication::translate("TimelineActions", words);
}

}  // namespace

void registerTimelineActions(Actions& actions, TimelineView& timeline,
                             const std::function<void(bool visibleOnly)>& export_timeline) {
    const QString file = text("File");
    const QString view = text("View");
    TimelineView* const shown = &timeline;
    const auto add = [&](const char* id, const QString& menu, const char* name, const char* help, auto run) {
        actions.add(QString::fromLatin1(id), menu, text(name), text(help), {}, run);
    };
    add("file.exportTimeline", file, "&Export timeline…",
        "Write the whole timeline as a picture, a drawing, a table or a trace", [=] { export_timeline(false); });
    add("file.exportRange", file, "Export &visible range…",
        "Write what the timeline shows now as a picture, a drawing, a table or a trace",
        [=] { export_timeline(true); });
    add("view.fit", view, "Timeline: &fit all", "Show the whole step", [=] { shown->fitAll(); });
    add("view.focus", view, "Timeline: focus s&election", "Show what is selected in the timeline",
        [=] { shown->focusSelection(); });
    add("timeline.find", view, "Timeline: fi&nd events", "Find events by name or module and step through them",
        [=] { shown->openFind(); });
    add("timeline.exposed", view, "Timeline: most e&xposed collective",
        "Select the collective for which compute waits longest; again for the next one",
        [=] { shown->selectMostExposed(); });
    add("timeline.note", view, "Timeline: add n&ote", "Note something on what is measured, selected or pointed at",
        [=] { shown->startNote(); });
    add("timeline.notes", view, "Timeline: &list notes", "List all notes and bookmarks, to go to them or remove them",
        [=] { shown->listNotes(); });
    add("timeline.measure", view, "Timeline: &measure selection", "Measure the selected event, or all that is visible",
        [=] { shown->measureSelection(); });
    add("timeline.copy", view, "Timeline: cop&y as text", "Copy figures of what is measured or selected",
        [=] { shown->copy(); });

    constexpr const char* keys[][2] = {
        {"W, S", "Zoom in, out; Alt is faster"},
        {"A, D or Left, Right", "Pan"},
        {"Wheel", "Scroll the lanes; pan where all are seen"},
        {"Ctrl+wheel, Shift+wheel", "Zoom at the pointer, pan; Alt is faster"},
        {"Drag, middle drag", "Pan"},
        {"Alt+drag", "Zoom into what is marked"},
        {"Shift+click, Shift+drag or C", "Choose several collectives, to drag them together"},
        {"Shift+drag on the memory curve", "Choose all collectives of that time"},
        {". and ,", "Next, previous event of the lane"},
        {"] and [", "To what the arrows lead to, come from"},
        {"Up, Down", "Lane above, below"},
        {"E, Shift+E", "Most exposed collective, then down the list, up the list"},
        {"F, 0", "Focus the selection, fit all"},
        {"Home, End", "Beginning, end"},
        {"Backspace or Alt+Left, Alt+Right", "Previous, next view"},
        {"Drag on the ruler, R", "Measure, measure the selection"},
        {"Ctrl+F or /", "Find events; Enter, Shift+Enter for the next, previous one"},
        {"N, B, Shift+B", "Add a note or bookmark, go to the next, previous one"},
        {"L", "List all notes and bookmarks"},
        {"P, Space", "Pin, collapse the lane"},
        {"Alt+Up, Alt+Down or drag a title", "Move the lane"},
        {"M or a click on the memory curve", "What is alive then"},
        {"Ctrl+C", "Copy what is measured or selected as text"},
        {"Enter, Escape", "Open in the inspector, let go"}};
    for (const auto& [key, what] : keys) actions.addViewKey(text("Timeline"), text(key), text(what));
}

}  // namespace overlap::ui
