#include "ui/search/parts_table.h"

#include <QHeaderView>
#include <algorithm>
#include <thread>

#include "core/search/minimal_plan.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/theme/times_apart.h"
#include "ui/widgets/table_delegate.h"

namespace overlap::ui {
namespace {

constexpr int worth_column = 1;
constexpr int lowest_table = 48;

}  // namespace

PartsTable::PartsTable(QWidget* parent) : QTreeView(parent), parts_(new QStandardItemModel(this)) {
    setModel(parts_);
    setItemDelegate(new TableDelegate(this));
    setAccessibleName(tr("What the parts of the chosen plan are worth"));
    setToolTip(tr("How much longer the step is without each part of the chosen plan"));
    setRootIsDecorated(false);
    setUniformRowHeights(true);
    setFrameShape(QFrame::NoFrame);
    setMinimumHeight(lowest_table);
    header()->setSectionsMovable(false);
    header()->setStretchLastSection(false);
    clear();
}

void PartsTable::setTitle(const QString& title) {
    parts_->clear();
    parts_->setHorizontalHeaderLabels({title, tr("Worth")});
    header()->setSectionResizeMode(0, QHeaderView::Stretch);
    header()->setSectionResizeMode(worth_column, QHeaderView::ResizeToContents);
}

void PartsTable::clear() {
    task_.cancel();
    setTitle({});
    hide();
}

void PartsTable::showWorth(const QString& plan, const std::vector<PlanElement>& parts) {
    task_.cancel();
    setTitle(tr("Part of %1").arg(shownName(plan)));
    std::vector<double> worths;
    for (const PlanElement& part : parts) worths.push_back(part.worth_ms);
    const QStringList texts = formatTimesApart(worths);
    for (std::size_t row = 0; row < parts.size(); ++row) {
        auto* name = new QStandardItem(shownName(QString::fromStdString(parts[row].element)));
        name->setToolTip(name->text());
        auto* worth = new QStandardItem(texts[static_cast<qsizetype>(row)]);
        worth->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        for (QStandardItem* item : {name, worth}) item->setEditable(false);
        parts_->appendRow({name, worth});
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
