#include "ui/passes/expert_overlap_menu.h"

#include <QActionGroup>

#include "core/advice/advice.h"
#include "ui/document/document.h"
#include "ui/document/graph_reading.h"
#include "ui/edits/pipeline_commands.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/links_shared.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {
namespace {

/// The current plan with a choice.
Plan planWith(const Plan& plan, const std::optional<ExpertOverlap>& overlap) {
    return overlap ? edits::with_expert_overlap(plan, *overlap) : edits::without_expert_overlap(plan);
}

QString helpOf(const std::optional<ExpertOverlap>& overlap) {
    if (!overlap) return ExpertOverlapMenu::tr("Remove the passes that halve modules, and those that order the halves");
    QStringList passes;
    for (const std::string& pass : expert_overlap_passes(overlap->halved_by))
        passes.append(QString::fromStdString(pass));
    return ExpertOverlapMenu::
        tr("The all-to-alls of one half run while the other half computes: %1, and a process group of their own for "
           "the all-to-alls")
            .arg(passes.join(QStringLiteral(", ")));
}

}  // namespace

ExpertOverlapMenu::ExpertOverlapMenu(Document& document, QWidget* parent) : QMenu(parent), document_(document) {
    setObjectName("expertOverlap");
    setToolTipsVisible(true);
    connect(this, &QMenu::aboutToShow, this, &ExpertOverlapMenu::fill);
    connect(this, &QMenu::aboutToHide, this, [this] { task_.cancel(); });
    for (const auto signal : {&Document::graphChanged, &Document::currentChanged, &Document::modulesChanged})
        connect(&document, signal, this, &ExpertOverlapMenu::look);
    connect(&document, &Document::evaluationChanged, this, [this] {
        if (isVisible()) fill();
    });
    look();
}

void ExpertOverlapMenu::look() {
    if (!document_.isOpen()) {
        graph_ = nullptr;
        choices_ = {};
    } else if (graph_ != document_.graph()) {
        graph_ = document_.graph();
        choices_ = expert_overlap_choices(*graph_, *document_.loaded().modules);
    }
    emit changed();
}

QString ExpertOverlapMenu::refusal() const {
    if (!document_.isOpen()) return noGraphOpen(document_);
    if (!document_.editable()) return tr("The baseline has no steps: add a plan");
    return choices_.list.empty() ? tr("No expert overlap: %1").arg(QString::fromStdString(choices_.obstacle))
                                 : QString();
}

QString ExpertOverlapMenu::title(const std::optional<ExpertOverlap>& overlap) {
    if (!overlap) return tr("None");
    const QString pattern = shownName(QString::fromStdString(overlap->module_pattern));
    if (overlap->halved_by == HalvedBy::model) return tr("Halves of %1, which the model makes").arg(pattern);
    if (overlap->halved_by == HalvedBy::before) return tr("Halves of %1, which the graph has").arg(pattern);
    const QString modules = pattern.endsWith(QStringLiteral(".moe")) ? tr("Experts alone (%1)").arg(pattern)
                                                                     : tr("Whole blocks (%1)").arg(pattern);
    return overlap->dimension == "seq" ? tr("%1, halves of each sequence").arg(modules)
                                       : tr("%1, halves of the batch").arg(modules);
}

QString ExpertOverlapMenu::text(const AdviceEffect& effect) {
    if (!effect.refusal.empty()) return tr("refused");
    QStringList parts{tr("step %1").arg(formatDifference(job_step_ms(effect), Unit::Time)),
                      tr("exposed %1").arg(formatDifference(effect.exposed_ms, Unit::Time)),
                      tr("peak %1").arg(formatDifference(static_cast<double>(effect.peak_bytes), Unit::Bytes))};
    if (effect.shared_step_ms) parts.append(linksSharedLabel());
    return parts.join(QStringLiteral(" · "));
}

void ExpertOverlapMenu::fill() {
    task_.cancel();
    clear();
    shown_.clear();
    if (!refusal().isEmpty()) return;
    const Plan& plan = document_.current()->plan();
    const std::optional<ExpertOverlap> now = expert_overlap_of(plan);
    std::vector<std::optional<ExpertOverlap>> offered{std::nullopt};
    for (const ExpertOverlap& overlap : choices_.list) offered.emplace_back(overlap);
    // With options of its passes that are none of the usual ones.
    if (now && std::ranges::find(offered, now) == offered.end()) offered.push_back(now);
    auto* group = new QActionGroup(this);
    for (const std::optional<ExpertOverlap>& overlap : offered) {
        QAction* action = addAction(title(overlap), this, [this, overlap] {
            PipelineCommands(document_).setExpertOverlap(overlap, tr("Expert overlap: %1").arg(title(overlap)));
        });
        action->setCheckable(true);
        action->setActionGroup(group);
        action->setToolTip(helpOf(overlap));
        // Also where the plan asks for it and lacks passes: choosing it puts them back.
        const bool complete = does_the_same(planWith(plan, overlap), plan);
        action->setChecked(complete);
        shown_.push_back({overlap, action});
        action->setText(title(overlap) + u'\t' + (complete ? tr("as it is") : tr("…")));
    }
    next_ = 0;
    tryNext();
}

void ExpertOverlapMenu::tryNext() {
    while (next_ < shown_.size() && shown_[next_].action->isChecked()) ++next_;
    const auto before = document_.evaluation();
    if (next_ >= shown_.size() || !before || document_.current()->stale()) return;
    Advice advice;
    advice.plan = planWith(document_.current()->plan(), shown_[next_].overlap);
    task_.start([this, before, advice = std::move(advice)](std::stop_token stop) -> LatestTask::Delivery {
        const auto effect = effect_of(*before, advice, stop);
        if (!effect) return {};
        return [this, before, effect = *effect] {
            const Choice& choice = shown_[next_++];
            // A refused plan has no figures to compare with.
            const bool now_runs = before->refused && effect.refusal.empty();
            choice.action->setText(title(choice.overlap) + u'\t' + (now_runs ? tr("no longer refused") : text(effect)));
            if (!effect.refusal.empty()) choice.action->setToolTip(shownName(QString::fromStdString(effect.refusal)));
            tryNext();
        };
    });
}

}  // namespace overlap::ui
