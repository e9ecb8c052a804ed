#include "ui/shell/workspace/whose_figures.h"

#include "ui/document/document.h"
#include "ui/frame/docks/dock_layout.h"
#include "ui/inspector/inspector_panel.h"
#include "ui/measure/measurements.h"
#include "ui/theme/harmless_text.h"

namespace overlap::ui {

WhoseFigures::WhoseFigures(Document& document, const Measurements& measurements, const InspectorPanel& inspector,
                           DockLayout& docks, QObject* parent)
    : QObject(parent), document_(document), measurements_(measurements), inspector_(inspector), docks_(docks) {
    for (const auto signal : {&Document::graphChanged, &Document::variantsChanged, &Document::currentChanged})
        connect(&document, signal, this, &WhoseFigures::say);
    connect(&measurements, &Measurements::currentChanged, this, &WhoseFigures::say);
    connect(&inspector, &InspectorPanel::textChanged, this, &WhoseFigures::say);
    say();
}

void WhoseFigures::say() {
    const bool apart = measurements_.current() && document_.isOpen();
    const QString note = apart ? tr("of %1").arg(shownName(document_.current()->title())) : QString();
    for (const char* id : {"modules", "buckets", "collectives", "advice", "memory", "passes", "groups"})
        docks_.setNote(QString::fromLatin1(id), note);
    docks_.setNote(QStringLiteral("inspector"), inspector_.isOfPlan() ? note : QString());
}

}  // namespace overlap::ui
