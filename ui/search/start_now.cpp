#include "ui/search/start_now.h"

#include <QObject>

#include "core/pipeline/step_with_links_shared.h"
#include "ui/document/document.h"
#include "ui/theme/harmless_text.h"

namespace overlap::ui {

SearchStart startNow(const SearchStart& start, Document& document, LinkSharing links) {
    const int index = start.plan ? document.indexOf(start.key) : -1;
    if (index < 0) return start;
    const Variant& variant = document.variant(index);
    SearchStart now = start;
    now.title = variant.title();
    if (does_the_same(variant.plan(), *start.plan)) return now;
    const auto evaluation = variant.evaluation();
    now.counts = false;  // nobody has looked whether a job could run it
    now.left_out.clear();
    if (!evaluation || variant.stale()) {
        now.before_edits = true;
        now.title = QObject::tr("%1 as it was then").arg(now.title);
        return now;
    }
    now.edited = true;
    now.plan = variant.plan();
    now.refused = evaluation->refused;
    now.peak_bytes = evaluation->corrected_memory.peak_bytes;
    now.step_ms = links == LinkSharing::by_host ? step_with_links_shared(*evaluation) : evaluation->simulation.step_ms;
    return now;
}

QString editedSentence(const SearchStart& now) {
    if (now.before_edits)
        return QObject::tr(
            "The plan that the search began at has changed since; as it is now it is evaluated while it is shown.");
    if (!now.edited) return {};
    return (now.refused ? QObject::tr("%1 has changed since the search began, and is refused as it is now.")
                        : QObject::tr("%1 has changed since the search began, and counts here as it is now."))
        .arg(shownName(now.title));
}

}  // namespace overlap::ui
