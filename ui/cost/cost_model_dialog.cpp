#include "ui/cost/cost_model_dialog.h"

#include <QDialogButtonBox>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/cost/built_in_cost_models.h"
#include "core/io/cost_model/cost_model_file.h"
#include "ui/tasks/task_failure.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {
namespace {

constexpr QSize start_size{560, 460};
constexpr int detail_lines = 7;
/// What is chosen, and its description.
constexpr int choice_role = Qt::UserRole, detail_role = Qt::UserRole + 1;

QString rate(double per_second) {
    return CostModelDialog::tr("%1 TFLOP/s").arg(formatNumber(per_second / 1e12));
}

QString bytesRate(double per_second) {
    return CostModelDialog::tr("%1 GB/s").arg(formatNumber(per_second / 1e9));
}

QString linkText(const LinkCost& link) {
    return CostModelDialog::tr("%1, %2").arg(bytesRate(link.bytes_per_s), formatTime(link.latency_ms));
}

QString detailOf(const NamedCostModel& model) {
    QStringList lines;
    if (!model.description.empty()) lines.append(QString::fromStdString(model.description));
    lines.append(model.origin.checked.empty()
                     ? CostModelDialog::tr("Compared with no run")
                     : CostModelDialog::tr("Compared with %1").arg(QString::fromStdString(model.origin.checked)));
    QStringList device{QString::fromStdString(model.device_name)};
    if (const auto half = model.flops_per_s.find("bfloat16"); half != model.flops_per_s.end())
        device.append(CostModelDialog::tr("bfloat16 %1").arg(rate(half->second)));
    device.append(CostModelDialog::tr("memory %1").arg(bytesRate(model.memory_bytes_per_s)));
    lines.append(device.join(QStringLiteral(" · ")));
    QStringList classes;
    for (const auto& [name, cost] : model.classes) {
        classes.append(CostModelDialog::tr("%1 %2").arg(QString::fromStdString(name).replace(u'_', u' '),
                                                        formatPercent(cost.efficiency)));
    }
    if (model.flops_efficiency != 1 || model.memory_efficiency != 1)
        classes.append(CostModelDialog::tr("classes that are not listed %1 of flops and %2 of bytes")
                           .arg(formatPercent(model.flops_efficiency), formatPercent(model.memory_efficiency)));
    if (!classes.isEmpty()) lines.append(CostModelDialog::tr("Efficiency: %1").arg(classes.join(QStringLiteral(", "))));
    if (model.cluster) {
        const Cluster& cluster = *model.cluster;
        lines.append(CostModelDialog::tr("Within a host of %1 GPUs: %2 a GPU, of which gathers reach %3")
                         .arg(cluster.gpus_per_host)
                         .arg(bytesRate(cluster.gpu_link_bytes_per_s), formatPercent(cluster.gpu_link_efficiency)));
        lines.append(CostModelDialog::tr("Between hosts: %1 cards a host, %2 each, of which gathers reach %3")
                         .arg(cluster.cards_per_host)
                         .arg(bytesRate(cluster.card_bytes_per_s), formatPercent(cluster.card_efficiency)));
    }
    if (model.within_node) lines.append(CostModelDialog::tr("Within a node: %1").arg(linkText(*model.within_node)));
    if (model.between_nodes)
        lines.append(CostModelDialog::tr("Between nodes, of each GPU: %1").arg(linkText(*model.between_nodes)));
    for (const auto& [group, link] : model.links_of_groups)
        lines.append(CostModelDialog::tr("Process group %1: %2").arg(QString::fromStdString(group), linkText(link)));
    if (!model.origin.runs.empty()) {
        lines.append(
            CostModelDialog::tr("Calibrated from %n runs", nullptr, static_cast<int>(model.origin.runs.size())));
    }
    return lines.join(u'\n');
}

}  // namespace

CostModelDialog::CostModelDialog(const QString& used, bool times_known, QWidget* parent)
    : QDialog(parent), list_(new QListWidget), detail_(new QLabel) {
    setWindowTitle(tr("Cost model"));
    setObjectName("costModelDialog");
    auto* column = new QVBoxLayout(this);
    auto* question = new QLabel(tr("Times of the graph's nodes are to be"));
    column->addWidget(question);
    question->setBuddy(list_);
    list_->setAccessibleName(tr("Cost models"));
    auto* own =
        new QListWidgetItem(times_known ? tr("as the graph was read with") : tr("as the graph was read: no times"));
    own->setData(choice_role, QString());
    own->setData(detail_role, times_known ? tr("The times and the cost model of the graph's own file")
                                          : tr("The graph's file has no times, so figures of time are not known"));
    list_->addItem(own);
    for (const NamedCostModel& model : built_in_cost_models()) {
        const QString name = QString::fromStdString(model.name);
        auto* item = new QListWidgetItem(tr("estimated: %1, %2").arg(name, QString::fromStdString(model.device_name)));
        item->setData(choice_role, name);
        item->setData(detail_role, detailOf(model));
        list_->addItem(item);
    }
    column->addWidget(list_, 1);
    detail_->setWordWrap(true);
    detail_->setTextFormat(Qt::PlainText);
    detail_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    detail_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    detail_->setMinimumHeight(detail_lines * QFontMetrics(textFont()).lineSpacing());
    detail_->setAccessibleName(tr("About the cost model"));
    column->addWidget(detail_);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    buttons->button(QDialogButtonBox::Ok)->setText(tr("&Use"));
    QPushButton* file = buttons->addButton(tr("From &file…"), QDialogButtonBox::ActionRole);
    column->addWidget(buttons);
    connect(file, &QPushButton::clicked, this, &CostModelDialog::askForFile);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(list_, &QListWidget::currentRowChanged, this, &CostModelDialog::showDetail);
    connect(list_, &QListWidget::itemActivated, this, &QDialog::accept);
    list_->setCurrentRow(0);
    for (int row = 0; row < list_->count(); ++row)
        if (list_->item(row)->data(choice_role).toString() == used) list_->setCurrentRow(row);
    if (!used.isEmpty() && chosen() != used) addFile(used);
    resize(start_size);
    list_->setFocus();
}

QString CostModelDialog::chosen() const {
    const QListWidgetItem* item = list_->currentItem();
    return item ? item->data(choice_role).toString() : QString();
}

QString CostModelDialog::detailText() const {
    return detail_->text();
}

void CostModelDialog::showDetail() {
    const QListWidgetItem* item = list_->currentItem();
    detail_->setText(item ? shownLines(item->data(detail_role).toString()) : QString());
}

void CostModelDialog::addFile(const QString& path) {
    try {
        const NamedCostModel model = read_cost_model_file(QFile::encodeName(path).toStdString());
        auto* item = new QListWidgetItem(
            tr("by %1: %2").arg(shownName(QFileInfo(path).fileName()), shownName(QString::fromStdString(model.name))),
            list_);
        item->setData(choice_role, path);
        item->setData(detail_role, detailOf(model));
        item->setToolTip(shownName(path));
        list_->setCurrentItem(item);
    } catch (const std::exception& error) {
        detail_->setText(shownLines(reasonOf(error)));
    }
}

void CostModelDialog::askForFile() {
    const QString path = QFileDialog::getOpenFileName(this, tr("Open cost model"), {},
                                                      tr("Cost models (*.cost.json *.json *.gz);;All files (*)"));
    if (!path.isEmpty()) addFile(path);
}

}  // namespace overlap::ui
