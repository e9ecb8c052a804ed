#include "ui/widgets/cell_delegate.h"

#include <QStandardItemModel>
#include <QtTest>

#include "ui/theme/theme.h"
#include "ui/widgets/table_delegate.h"

namespace overlap::ui {

/// What cells are written in.
class CellDelegateTest : public QObject {
    Q_OBJECT

    class Seen : public TableDelegate {
      public:
        QFont fontOf(const QModelIndex& index) const {
            QStyleOptionViewItem cell;
            initStyleOption(&cell, index);
            return cell.font;
        }
    };

  private slots:
    void figuresHaveTheFontOfNumbersInAllTables() {
        QStandardItemModel model(1, 3);
        for (int column = 0; column < 3; ++column) model.setData(model.index(0, column), "12.5 ms");
        for (const int column : {1, 2})
            model.setData(model.index(0, column), static_cast<int>(Qt::AlignRight | Qt::AlignVCenter),
                          Qt::TextAlignmentRole);
        const QFont other("Another", 40);
        model.setData(model.index(0, 2), other, Qt::FontRole);
        const Seen delegate;
        QCOMPARE(delegate.fontOf(model.index(0, 0)), QStyleOptionViewItem().font);
        QCOMPARE(delegate.fontOf(model.index(0, 1)), numberFont());
        QVERIFY(numberFont() != QStyleOptionViewItem().font);
        QCOMPARE(delegate.fontOf(model.index(0, 2)).family(), other.family());
        // Nor is it cut for being wider.
        const QStyleOptionViewItem option;
        QVERIFY(delegate.sizeHint(option, model.index(0, 1)).width() >
                QFontMetrics(numberFont()).horizontalAdvance("12.5 ms"));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::CellDelegateTest)
#include "cell_delegate_test.moc"
