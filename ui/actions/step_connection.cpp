#include "ui/actions/step_connection.h"

#include <vector>

#include "ui/frame/figures_bar.h"
#include "ui/inspector/describe_step.h"
#include "ui/inspector/inspector_panel.h"

namespace overlap::ui {

StepConnection::StepConnection(FiguresBar& figures, InspectorPanel& inspector, QObject* parent)
    : QObject(parent), figures_(figures), inspector_(inspector) {
    connect(&figures, &FiguresBar::stepWanted, this, &StepConnection::show);
    connect(&figures.gap(), &StepGap::changed, this, &StepConnection::close);
}

void StepConnection::show() {
    const std::optional<StepGap::Gap>& gap = figures_.gap().gap();
    if (!gap || !gap->of) return;
    std::vector<NamedBound> bounds;
    if (!gap->any_order) bounds.push_back({gap->every_order ? tr("any order") : tr("order kept"), gap->bound_ms});
    if (!gap->every_order && gap->any_order_ms > 0) bounds.push_back({tr("any order"), gap->any_order_ms});
    inspector_.showInstead(describeStep(*gap->of, gap->parts, bounds));
}

void StepConnection::close() {
    if (isOfStep(inspector_.content())) inspector_.showInstead(std::nullopt);
}

}  // namespace overlap::ui
