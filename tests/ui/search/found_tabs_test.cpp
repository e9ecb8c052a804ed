#include <QSignalSpy>

#include "tests/ui/search/searched_panel.h"
#include "ui/search/front_chart.h"

namespace overlap::ui {

/// Which tabs are made of plans that were found.
class FoundTabsTest : public QObject, SearchedPanel {
    Q_OBJECT

  private slots:
    void init() { openPanel(); }
    void cleanup() { closePanel(); }

    /// Who compares many plans is not left with as many tabs.
    void comparingTakesOneTabForAll() {
        find(150);
        QVERIFY(panel_->chart()->points().size() > 3);
        const int plans = document_->variantCount();
        const auto compare = [&](int choice) {
            emit panel_->chart()->chosen(choice);
            panel_->compareButton()->click();
            return document_->current()->title();
        };
        const QString first = compare(0), second = compare(1);
        QVERIFY(first != second);
        QCOMPARE(document_->variantCount(), plans + 1);
        // What the user has done something with stays.
        document_->renameCurrent(QStringLiteral("Mine"));
        compare(0);
        QCOMPARE(document_->variantCount(), plans + 2);
        panel_->openButton()->click();
        QCOMPARE(document_->variantCount(), plans + 2);
        compare(2);
        QCOMPARE(document_->variantCount(), plans + 3);
        QSignalSpy compared(panel_.get(), &SearchPanel::compareWanted);
        compare(3);
        QCOMPARE(document_->variantCount(), plans + 3);
        QCOMPARE(compared.back()[1].toInt(), document_->currentIndex());
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::FoundTabsTest)
#include "found_tabs_test.moc"
