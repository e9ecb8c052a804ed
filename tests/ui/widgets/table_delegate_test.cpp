#include "ui/widgets/table_delegate.h"

#include <QHeaderView>
#include <QHelpEvent>
#include <QStandardItemModel>
#include <QToolTip>
#include <QTreeView>
#include <QtTest>

namespace overlap::ui {

class TableDelegateTest : public QObject {
    Q_OBJECT

    static QString tipOf(QTreeView& table, const QModelIndex& index) {
        QToolTip::hideText();
        if (!QTest::qWaitFor([] { return !QToolTip::isVisible(); })) qFatal("a tool tip of before");
        const QPoint at = table.visualRect(index).center();
        QHelpEvent asks(QEvent::ToolTip, at, table.viewport()->mapToGlobal(at));
        QApplication::sendEvent(table.viewport(), &asks);
        return QToolTip::isVisible() ? QToolTip::text() : QString();
    }

  private slots:
    void whatIsElidedIsWholeInTheToolTip() {
        QStandardItemModel model(2, 1);
        const QString name = "embeddings, layers 0 to 3";
        model.setData(model.index(0, 0), name);
        model.setData(model.index(1, 0), name);
        model.setData(model.index(1, 0), "what the model says of it", Qt::ToolTipRole);
        QTreeView table;
        table.setModel(&model);
        table.setItemDelegate(new TableDelegate(&table));
        table.header()->setStretchLastSection(false);
        table.resize(400, 200);
        table.show();
        table.setColumnWidth(0, 80);
        QCOMPARE(tipOf(table, model.index(0, 0)), name);
        QCOMPARE(tipOf(table, model.index(1, 0)), QString("what the model says of it"));
        table.setColumnWidth(0, 380);
        QCOMPARE(tipOf(table, model.index(0, 0)), QString());
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::TableDelegateTest)
#include "table_delegate_test.moc"
