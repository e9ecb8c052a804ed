#include "ui/timeline/alive_panel.h"

#include <QTreeWidget>

#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme.h"

namespace overlap::ui {

AlivePanel::AlivePanel(QWidget* parent) : ListPanel(parent) {
    setObjectName("alivePanel");
    setAccessibleName(tr("Tensors alive at a moment"));
    list_->setAccessibleName(tr("Largest tensors alive"));
    list_->setHeaderLabels({tr("Size"), tr("Tensor"), tr("Module"), tr("Last used by")});
    connect(list_, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) {
        emit chosen(tensors_.largest[static_cast<std::size_t>(list_->indexOfTopLevelItem(item))].reference);
    });
}

void AlivePanel::showTensors(const AliveTensors& tensors, const QString& moment) {
    tensors_ = tensors;
    list_->clear();
    for (const AliveTensor& tensor : tensors.largest) {
        auto* item = new QTreeWidgetItem(list_, {formatBytes(static_cast<double>(tensor.bytes)), shownName(tensor.name),
                                                 shownName(tensor.module), shownName(tensor.until)});
        item->setTextAlignment(0, Qt::AlignRight | Qt::AlignVCenter);
        item->setFont(0, numberFont(smallTextPx));
        item->setFont(1, codeFont(smallTextPx));
        item->setFont(3, codeFont(smallTextPx));
    }
    open(tr("%1 in %2 tensors at %3 · %4")
             .arg(formatBytes(static_cast<double>(tensors.bytes)), formatCount(tensors.count), moment, tensors.rule));
}

QString AlivePanel::text() const {
    QString text = QStringLiteral("bytes\ttensor\tmodule\tlast_used_by\n");
    for (const AliveTensor& tensor : tensors_.largest)
        text += QStringLiteral("%1\t%2\t%3\t%4\n")
                    .arg(QString::number(tensor.bytes), tensor.name, tensor.module, tensor.until);
    return text;
}

}  // namespace overlap::ui
