#include "ui/frame/docks/enlarged_part.h"

#include <QDockWidget>
#include <QLabel>
#include <QMainWindow>
#include <QSignalSpy>
#include <QToolButton>
#include <QtTest>

#include "ui/frame/docks/dock_layout.h"
#include "ui/frame/docks/enlarge_button.h"

namespace overlap::ui {

/// One part of the window has all of its room, and everything is in its place afterwards.
class EnlargedPartTest : public QObject {
    Q_OBJECT

    struct Parts {
        QMainWindow window;
        DockLayout docks{window};
        EnlargedPart enlarged{window, docks};
        QDockWidget *side = nullptr, *first = nullptr, *second = nullptr;

        Parts() {
            window.setCentralWidget(new QLabel);
            const auto add = [&](const char* id, Qt::DockWidgetArea area) {
                return docks.add(QString::fromLatin1(id), QString::fromLatin1(id), new QLabel, area,
                                 DockLayout::Heading::always);
            };
            side = add("side", Qt::LeftDockWidgetArea);
            first = add("first", Qt::BottomDockWidgetArea);
            second = add("second", Qt::BottomDockWidgetArea);
            docks.putInTabs({first, second});
            window.resize(800, 600);
            window.show();
            window.resizeDocks({first}, {200}, Qt::Vertical);
            window.resizeDocks({side}, {240}, Qt::Horizontal);
        }
    };

  private slots:
    void aDockWithItsTabsHasTheWindow() {
        Parts parts;
        QTRY_VERIFY(parts.first->height() > 150 && parts.first->height() <= 200);
        const int height = parts.first->height(), width = parts.side->width();
        QSignalSpy changed(&parts.enlarged, &EnlargedPart::changed);
        parts.enlarged.enlarge(parts.first);
        QVERIFY(parts.enlarged.any() && parts.enlarged.is(parts.first) && parts.enlarged.is(parts.second));
        QVERIFY(parts.side->isHidden() && parts.window.centralWidget()->isHidden());
        QTRY_VERIFY2(parts.first->height() > 500, qPrintable(QString::number(parts.first->height())));
        parts.second->raise();
        QTRY_VERIFY(!parts.second->visibleRegion().isEmpty());
        parts.enlarged.end();
        QVERIFY(!parts.enlarged.any());
        QVERIFY(!parts.side->isHidden() && !parts.window.centralWidget()->isHidden());
        QTRY_COMPARE(parts.second->height(), height);
        QCOMPARE(parts.side->width(), width);
        QVERIFY2(!parts.second->visibleRegion().isEmpty(), "the tab that was chosen meanwhile is in front");
        QCOMPARE(changed.size(), 2);
    }

    void theMiddleHasTheWindow() {
        Parts parts;
        parts.enlarged.enlarge(parts.window.centralWidget());
        QVERIFY(parts.side->isHidden() && parts.first->isHidden() && parts.second->isHidden());
        QTRY_COMPARE(parts.window.centralWidget()->size(), parts.window.size());
        parts.enlarged.toggle(parts.window.centralWidget());
        QVERIFY(!parts.side->isHidden() && !parts.first->isHidden());
    }

    void whatWasClosedStaysClosed() {
        Parts parts;
        parts.side->close();
        parts.enlarged.enlarge(parts.first);
        parts.enlarged.end();
        QVERIFY(parts.side->isHidden());
    }

    void whatIsInAnotherWindowIsNoPart() {
        Parts parts;
        parts.side->setFloating(true);
        QVERIFY(parts.side->window() != &parts.window);
        QCOMPARE(parts.enlarged.partOf(parts.side->widget()), nullptr);
        parts.enlarged.enlarge(parts.side);
        QVERIFY(!parts.enlarged.any());
        QVERIFY(!parts.first->isHidden() && !parts.window.centralWidget()->isHidden());
        // It stays where it is while another part has the window.
        parts.enlarged.enlarge(parts.first);
        QVERIFY(!parts.side->isHidden() && parts.window.centralWidget()->isHidden());
        parts.enlarged.end();
        QVERIFY(parts.side->isFloating() && !parts.side->isHidden());
    }

    void closingThePartEndsIt() {
        Parts parts;
        parts.enlarged.enlarge(parts.side);
        parts.side->close();
        QTRY_VERIFY(!parts.enlarged.any());
        QVERIFY(!parts.window.centralWidget()->isHidden() && !parts.first->isHidden());
        QVERIFY2(parts.side->isHidden(), "it was closed");
    }

    void draggingThePartOutEndsIt() {
        Parts parts;
        parts.second->close();
        parts.enlarged.enlarge(parts.first);
        parts.first->setFloating(true);
        const QRect place(50, 60, 300, 200);
        parts.first->setGeometry(place);
        QTRY_VERIFY(!parts.enlarged.any());
        QVERIFY(!parts.window.centralWidget()->isHidden() && !parts.side->isHidden());
        QVERIFY2(parts.first->isFloating() && !parts.first->isHidden(), "it stays where it was dragged to");
        QCOMPARE(parts.first->geometry(), place);
    }

    void draggingOneOfItsTabsOutLeavesTheOthersTheRoom() {
        Parts parts;
        parts.enlarged.enlarge(parts.first);
        parts.second->setFloating(true);
        QCoreApplication::processEvents();
        QVERIFY(parts.enlarged.any() && parts.side->isHidden());
        parts.enlarged.end();
        QVERIFY(parts.second->isFloating() && !parts.first->isFloating());
    }

    void closingOneOfItsTabsLeavesTheOthersTheRoom() {
        Parts parts;
        parts.enlarged.enlarge(parts.first);
        parts.second->close();
        QCoreApplication::processEvents();
        QVERIFY(parts.enlarged.any() && !parts.first->isHidden());
        parts.first->close();
        QTRY_VERIFY(!parts.enlarged.any());
        QVERIFY(!parts.side->isHidden() && parts.first->isHidden() && parts.second->isHidden());
    }

    void whatIsOpenedMeanwhileStaysOpen() {
        Parts parts;
        parts.side->close();
        parts.enlarged.enlarge(parts.first);
        parts.side->show();
        parts.enlarged.end();
        QVERIFY(!parts.side->isHidden());
    }

    void askingForAHiddenPartEndsIt() {
        Parts parts;
        parts.enlarged.enlarge(parts.window.centralWidget());
        parts.second->show();
        parts.second->raise();
        QTRY_VERIFY(!parts.enlarged.any());
        QTRY_VERIFY(!parts.second->visibleRegion().isEmpty());
        QVERIFY(!parts.side->isHidden());
    }

    void theLayoutToKeepIsTheOneWithoutIt() {
        Parts parts;
        const QByteArray layout = parts.window.saveState();
        QCOMPARE(parts.enlarged.layout(), layout);
        parts.enlarged.enlarge(parts.first);
        QCOMPARE(parts.enlarged.layout(), layout);
    }

    void partsAreFoundFromWhatIsInThem() {
        Parts parts;
        QCOMPARE(parts.enlarged.partOf(parts.side->widget()), parts.side);
        QCOMPARE(parts.enlarged.partOf(parts.window.centralWidget()), parts.window.centralWidget());
        QCOMPARE(parts.enlarged.partOf(nullptr), parts.window.centralWidget());
    }

    void theButtonAtTheTabsAsksForIt() {
        Parts parts;
        QSignalSpy wanted(&parts.docks, &DockLayout::enlargeWanted);
        QTRY_VERIFY(parts.window.findChild<EnlargeButton*>());
        parts.second->raise();
        QTest::mouseClick(parts.window.findChild<EnlargeButton*>(), Qt::LeftButton);
        QCOMPARE(wanted.size(), 1);
        QCOMPARE(wanted[0][0].value<QDockWidget*>(), parts.second);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::EnlargedPartTest)
#include "enlarged_part_test.moc"
