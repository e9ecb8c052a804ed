#include "ui/mesh/cost_box.h"

#include <QAbstractItemView>
#include <QFileDialog>
#include <QStandardItemModel>

#include "ui/mesh/answers/cost_models.h"

namespace overlap::ui {
namespace {

const QString other_table = QStringLiteral("table");  ///< asks for a file

}  // namespace

CostBox::CostBox(QWidget* parent) : ElidedBox(parent) {
    setObjectName("meshCosts");
    setAccessibleName(tr("Cost model"));
    view()->setAccessibleName(accessibleName());
    setToolTip(tr("What collectives cost; paths are found and compared by it"));
    setFocusPolicy(Qt::StrongFocus);
    for (const CostModel& model : costModels()) addModel(count(), model.id);
    addModel(count(), linksId);
    addItem(tr("Measured table…"), other_table);
    setItemData(count() - 1, tr("Choose a file of measured times"), Qt::ToolTipRole);
    connect(this, &QComboBox::activated, this, [this](int index) {
        const QString id = itemData(index).toString();
        if (id == other_table) return askForTable();
        emit chosen(id);
    });
}

void CostBox::addModel(int index, const QString& id) {
    const CostModel model = costModel(id);
    insertItem(index, model.title, model.id);
    setItemData(index, model.help, Qt::ToolTipRole);
}

void CostBox::show(const QString& id, const QString& links_problem) {
    shown_ = costModel(id).id;
    if (!tableFile(shown_).isEmpty() && shown_ != table_) {
        if (!table_.isEmpty()) removeItem(findData(table_));
        table_ = shown_;
        addModel(count() - 1, table_);
    }
    const int links = findData(QString(linksId));
    static_cast<QStandardItemModel*>(model())->item(links)->setEnabled(links_problem.isEmpty());
    setItemData(links, links_problem.isEmpty() ? costModel(linksId).help : links_problem, Qt::ToolTipRole);
    setCurrentIndex(findData(shown_));
}

void CostBox::chooseTable(const QString& file) {
    emit chosen(tableId(file));
}

void CostBox::askForTable() {
    setCurrentIndex(findData(shown_));
    const QString file = QFileDialog::getOpenFileName(this, tr("Table of measured times"), {},
                                                      tr("Measured times (*.json *.json.gz);;All files (*)"));
    if (!file.isEmpty()) chooseTable(file);
}

}  // namespace overlap::ui
