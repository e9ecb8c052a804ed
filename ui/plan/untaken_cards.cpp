#include "ui/plan/untaken_cards.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <algorithm>

#include "core/plan/automatic_plan.h"
#include "ui/document/document.h"
#include "ui/edits/pipeline_commands.h"
#include "ui/theme/harmless_text.h"

namespace overlap::ui {

UntakenCards::UntakenCards(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), text_(new QLabel), take_(new QPushButton) {
    setObjectName("untakenCards");
    take_->setAccessibleName(tr("Let a step take these buckets"));
    text_->setWordWrap(true);
    text_->setProperty("role", "caution");
    auto* layout = new QHBoxLayout(this);  // one row: a low window has little room for cards
    layout->setContentsMargins(0, 6, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(text_, 1);
    layout->addWidget(take_);
    connect(take_, &QPushButton::clicked, this, [this] { PipelineCommands(document_).takeBuckets(); });
    connect(&document, &Document::planChanged, this, &UntakenCards::update);
    update();
}

void UntakenCards::update() {
    const bool cards = document_.isOpen() && !document_.buckets().empty();
    const QString way = cards ? PipelineCommands(document_).wayToTakeBuckets() : QString();
    setHidden(way.isEmpty());
    if (way.isEmpty()) return;
    const Plan& plan = document_.current()->plan();
    const std::vector<PassStep>& steps = plan.pipeline;
    const std::optional<EntriesTaker> taker = entries_taker(plan);
    const bool has_own = taker && !taker->is_off;
    // Short, since the cards below need the room; the tool tip has the rest.
    text_->setText(has_own ? tr("Step %1 has its own list of buckets").arg(taker->running)
                           : tr("No step of the plan takes these buckets"));
    const auto deciding =
        std::ranges::find_if(steps, [](const PassStep& step) { return step.enabled && decides_buckets(step.pass); });
    text_->setToolTip(has_own ? tr("%1, so these change nothing").arg(text_->text())
                      : deciding == steps.end()
                          ? text_->text()
                          : tr("%1 finds buckets by itself").arg(shownName(QString::fromStdString(deciding->pass))));
    text_->setAccessibleDescription(text_->toolTip());
    take_->setText(PipelineCommands(document_).titleOfTakingBuckets());
    take_->setToolTip(tr("%1; can be undone").arg(shownName(way)));
}

}  // namespace overlap::ui
