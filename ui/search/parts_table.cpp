#include "ui/search/parts_table.h"

#include <QHeaderView>
#include <algorithm>
#include <cmath>
#include <thread>

#include "core/search/minimal_plan.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/widgets/flat_table.h"
#include "ui/widgets/table_delegate.h"

namespace overlap::ui {
namespace {

constexpr int step_column = 1, peak_column = 2;
constexpr double smallest_worth_ms = 1e-6;

/// How much longer the step is without a part. Parts are told apart by their names and not by digits that nobody needs.
QString changeOfStepText(const PlanElement& part) {
    // A difference of two steps: what sums in another order leave of it is no time.
    return formatDifference(std::abs(part.worth_ms) < smallest_worth_ms ? 0 : part.worth_ms, Unit::Time);
}

}  // namespace

PartsTable::PartsTable(QWidget* parent) : QTreeView(parent), parts_(new QStandardItemModel(this)) {
    setModel(parts_);
    setItemDelegate(new TableDelegate(this));
    makeFlatTable(*this, tr("What the parts of the chosen plan are worth"));
    setToolTip(tr("How much longer the step and how much higher the peak is without each part of the chosen plan"));
    clear();
}

void PartsTable::setTitle(const QString& title) {
    parts_->clear();
    parts_->setHorizontalHeaderLabels({title, tr("Step without"), tr("Peak without")});
    header()->setSectionResizeMode(0, QHeaderView::Stretch);
    for (const int column : {step_column, peak_column}) {
        parts_->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    }
}

void PartsTable::clear() {
    task_.cancel();
    setTitle({});
    hide();
}

void PartsTable::showWorth(const QString& plan, const std::vector<PlanElement>& parts) {
    task_.cancel();
    setTitle(tr("Part of %1").arg(shownName(plan)));
    for (std::size_t row = 0; row < parts.size(); ++row) {
        const PlanElement& part = parts[row];
        auto* name = new QStandardItem(shownName(QString::fromStdString(part.element)));
        name->setToolTip(name->text());
        // A plan without it that is refused, or brings a hazard, or whose times are not known, has no figures.
        const QString refusal = shownName(QString::fromStdString(part.refusal));
        auto* step = new QStandardItem(refusal.isEmpty() ? changeOfStepText(part) : tr("not usable"));
        auto* peak = new QStandardItem(
            refusal.isEmpty() ? formatDifference(static_cast<double>(part.worth_bytes), Unit::Bytes) : QString());
        for (QStandardItem* item : {step, peak}) {
            item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            if (!refusal.isEmpty()) item->setToolTip(tr("Without it the plan cannot be used: %1").arg(refusal));
        }
        for (QStandardItem* item : {name, step, peak}) item->setEditable(false);
        parts_->appendRow({name, step, peak});
    }
    setVisible(!parts.empty());
}

void PartsTable::weigh(const QString& plan, std::shared_ptr<const Graph> graph, const Plan& content,
                       SearchOptions options, LinkSharing links) {
    setTitle(tr("Part of %1, being weighed…").arg(shownName(plan)));
    setVisible(true);
    options.threads = std::max(2u, std::thread::hardware_concurrency()) - 1;
    task_.start([this, plan, graph = std::move(graph), content, links,
                 options = std::move(options)](const std::stop_token& stop) mutable -> LatestTask::Delivery {
        options.stop = stop;
        std::vector<PlanElement> parts = worth_of_parts(with_shared_links(graph, links), content, options);
        if (stop.stop_requested()) return {};
        return [this, plan, parts = std::move(parts)] {
            showWorth(plan, parts);
            emit weighed(parts);
        };
    });
}

}  // namespace overlap::ui
