#include "ui/document/graph_reading.h"

#include "ui/document/document.h"

namespace overlap::ui {

QString noGraphOpen(const Document& document) {
    return document.loading() ? Document::tr("The graph is being read") : Document::tr("No graph is open");
}

void whenReadingChanges(Document& document, QObject* context, const std::function<void()>& update) {
    const GraphLoader& loader = document.loader();
    const auto tell = [&document, update] {
        if (!document.isOpen()) update();
    };
    const auto on = [&](auto... signal) {
        // What has ended is told before its task is no longer busy.
        (QObject::connect(&loader, signal, context, tell, Qt::QueuedConnection), ...);
    };
    on(&GraphLoader::started, &GraphLoader::listed, &GraphLoader::failed, &GraphLoader::cancelled);
}

}  // namespace overlap::ui
