#include <QApplication>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QSignalSpy>
#include <QTabBar>
#include <QTimer>
#include <QToolButton>
#include <QToolTip>
#include <algorithm>

#include "tests/ui/shell/opened_window.h"
#include "tests/ui/ui_test_support.h"
#include "ui/frame/variant_bar.h"
#include "ui/shell/main_window.h"

namespace overlap::ui {

/// Plans are known by the names on their tabs.
class PlanNamesTest : public QObject {
    Q_OBJECT

    inline static const QStringList names{QStringLiteral("<b>A plan whose name says a lot</b>"),
                                          QStringLiteral("Gathers of every block of the model, first"),
                                          QStringLiteral("WWWWWW WWWWWW WWWWWW"),
                                          QStringLiteral("Search found this: 1674 ms within 41 GiB"),
                                          QStringLiteral("Gathers of every block of the model, second")};

    /// Where the buttons at the end of a bar begin.
    static int room(const QTabBar& tabs) {
        int room = tabs.width();
        for (const auto* button : tabs.findChildren<QToolButton*>())
            if (button->isVisible() && button->width() > 0) room = std::min(room, button->x());
        return room;
    }

    static bool isInSight(const QTabBar& tabs, int tab) {
        return tabs.tabRect(tab).left() >= 0 && tabs.tabRect(tab).right() <= room(tabs);
    }

    /// Whether a right click opens a menu, which is closed again.
    static bool hasMenu(QTabBar& tabs, const QPoint& place) {
        bool opened = false;
        QTimer::singleShot(0, &tabs, [&opened] {
            if (QWidget* menu = QApplication::activePopupWidget()) {
                opened = true;
                menu->close();
            }
        });
        QTest::mouseClick(&tabs, Qt::RightButton, {}, place);
        QContextMenuEvent event(QContextMenuEvent::Mouse, place, tabs.mapToGlobal(place));
        QApplication::sendEvent(&tabs, &event);
        QCoreApplication::processEvents();
        return opened;
    }

    static bool hasToolTip(QTabBar& tabs, const QPoint& place) {
        QToolTip::hideText();
        QHelpEvent event(QEvent::ToolTip, place, tabs.mapToGlobal(place));
        QApplication::sendEvent(&tabs, &event);
        return event.isAccepted() && QToolTip::isVisible();
    }

    static qsizetype lettersOf(QString title) {
        return title.remove(QStringLiteral(" •")).remove(u'…').remove(u' ').size();
    }

    static void sizes() {
        QTest::addColumn<QSize>("size");
        for (const int width : {800, 900, 1024, 1080, 1120, 1160, 1200, 1280, 1600})
            QTest::addRow("%d", width) << QSize(width, width * 5 / 8);
    }

    static void addPlans(MainWindow& window) {
        for (const QString& name : names) {
            window.document().addCopyOfCurrent();
            window.document().renameCurrent(name);
        }
    }

  private slots:
    void whatIsReadOfANameTellsIt_data() { sizes(); }
    void whatIsReadOfANameTellsIt() {
        QFETCH(const QSize, size);
        MainWindow window;
        open(window, {smallGraphFile()});
        addPlans(window);
        window.resize(size);
        QTRY_COMPARE(window.size(), size);
        auto* bar = window.findChild<VariantBar*>();
        const QTabBar& tabs = *bar->tabs();
        for (int current = tabs.count() - 1; current >= 0; --current) {
            window.document().setCurrentIndex(current);
            QTRY_VERIFY2(isInSight(tabs, current), qPrintable(QString::number(current)));
            for (int tab = 0; tab < tabs.count(); ++tab) {
                const QString drawn = bar->drawnTitle(tab), whole = window.document().variant(tab).title();
                QVERIFY2(!drawn.contains(QStringLiteral("……")), qPrintable(drawn));
                if (!isInSight(tabs, tab)) continue;
                const QString mark = window.document().variant(tab).modified() ? QStringLiteral(" •") : QString();
                // Eight letters of usual width; `W` is the widest of all.
                const qsizetype fewest = whole.startsWith(u'W') ? 4 : 8;
                QVERIFY2(drawn == whole + mark || lettersOf(drawn) >= fewest, qPrintable(drawn));
                QVERIFY(drawn.endsWith(mark));
                QVERIFY2(tab == 0 || tabs.tabToolTip(tab).startsWith(whole + u'\n'), qPrintable(tabs.tabToolTip(tab)));
            }
            // Names of plans for one purpose differ in the middle: of the current one, all that there is room for.
            const bool scrolls = tabs.tabRect(tabs.count() - 1).right() - tabs.tabRect(0).left() >= tabs.width();
            if (scrolls && size.width() >= 1000)
                QVERIFY2(lettersOf(bar->drawnTitle(current)) >=
                             std::min<qsizetype>(window.document().variant(current).title().startsWith(u'W') ? 12 : 16,
                                                 lettersOf(window.document().variant(current).title())),
                         qPrintable(bar->drawnTitle(current)));
        }
    }

    void figuresOfAFoundPlanAreWhatIsReadOfItsName_data() {
        QTest::addColumn<QString>("words");
        for (const char* words : {"Found ", "Found so far ", "Edited "}) QTest::addRow("%s", words) << words;
    }
    /// The word before them gives way to the figures that the name of a found plan has.
    void figuresOfAFoundPlanAreWhatIsReadOfItsName() {
        QFETCH(const QString, words);
        MainWindow window;
        open(window, {smallGraphFile()});
        for (const QString& name : {names[1], words + QStringLiteral("1588.2 ms at 46.09 GiB"), names[4]}) {
            window.document().addCopyOfCurrent();
            window.document().renameCurrent(name);
        }
        QVERIFY(waitUntilIdle(window));
        const QString found = window.document().variant(3).title();  // an edited one has figures of its own
        QVERIFY2(found.startsWith(words), qPrintable(found));
        const QString step = found.mid(words.size()).section(u' ', 0, 0);
        auto* bar = window.findChild<VariantBar*>();
        int shortened = 0;
        for (int width = 1600; width >= 800; width -= 80) {
            window.resize(width, 640);
            QTRY_COMPARE(window.width(), width);
            runAllDue();
            const QString drawn = bar->drawnTitle(3);
            shortened += !drawn.startsWith(words);
            QVERIFY2(drawn.startsWith(found) || drawn.startsWith(step + u' '), qPrintable(drawn));
        }
        QVERIFY(shortened > 0);
        QVERIFY(bar->tabs()->tabToolTip(3).startsWith(found + u'\n'));
    }

    /// Whatever a plan is called, the dot behind its name says that it is in no file as it is.
    void aDotOfANameIsNoDotOfAnEdit() {
        MainWindow window;
        open(window, {smallGraphFile()});
        Plan plan = window.document().loaded().empty_plan;
        plan.name = "Mine •";
        window.document().addNew(plan);
        QVERIFY(!window.document().current()->modified());
        const auto* bar = window.findChild<VariantBar*>();
        const int tab = window.document().currentIndex();
        QTRY_COMPARE(bar->drawnTitle(tab), QStringLiteral("Mine •"));
        window.document().renameCurrent(QStringLiteral("My own •"));
        QTRY_COMPARE(bar->drawnTitle(tab), QStringLiteral("My own • •"));
    }

    /// Half a name is none, and takes no click.
    void whatIsCutAtAnEndIsNotDrawn() {
        MainWindow window;
        open(window, {smallGraphFile()});
        addPlans(window);
        window.resize(1024, 640);
        QTRY_COMPARE(window.width(), 1024);
        auto* bar = window.findChild<VariantBar*>();
        QTabBar& tabs = *bar->tabs();
        // Only what is wanted matters: nothing is closed, and no dialog opens.
        disconnect(bar, &VariantBar::closeWanted, nullptr, nullptr);
        disconnect(bar, &VariantBar::renameWanted, nullptr, nullptr);
        const QSignalSpy closes(bar, &VariantBar::closeWanted), renames(bar, &VariantBar::renameWanted);
        int cut = 0;
        for (int current = tabs.count() - 1; current >= 0; --current) {
            window.document().setCurrentIndex(current);
            QVERIFY(waitUntilIdle(window));  // figures of an evaluation take their room
            runAllDue();
            QTRY_VERIFY(isInSight(tabs, current));
            const QImage picture = tabs.grab().toImage();
            for (int tab = 0; tab < tabs.count(); ++tab) {
                const QRect seen = tabs.tabRect(tab) & QRect(0, 0, room(tabs), tabs.height());
                if (seen.width() < 10 || isInSight(tabs, tab)) continue;
                ++cut;
                for (int x = seen.left() + 2; x < seen.right() - 2; ++x)
                    QCOMPARE(picture.pixelColor(x, tabs.height() / 2), picture.pixelColor(0, 0));
                QTest::mouseClick(&tabs, Qt::LeftButton, {}, seen.center());
                QCOMPARE(window.document().currentIndex(), current);
                QTest::mouseClick(&tabs, Qt::MiddleButton, {}, seen.center());
                QCOMPARE(closes.count(), 0);
                QTest::mouseDClick(&tabs, Qt::LeftButton, {}, seen.center());
                QCOMPARE(renames.count(), 0);
                QVERIFY(!hasMenu(tabs, seen.center()));
                QVERIFY(!hasToolTip(tabs, seen.center()));
            }
            // Those that are drawn take all of them.
            if (current == 0) continue;
            QVERIFY(hasMenu(tabs, tabs.tabRect(current).center()));
            QVERIFY(hasToolTip(tabs, tabs.tabRect(current).center()));
        }
        QVERIFY(cut > 0);
        window.document().setCurrentIndex(1);
        QTRY_VERIFY(isInSight(tabs, 1));
        QTest::mouseClick(&tabs, Qt::MiddleButton, {}, tabs.tabRect(1).center());
        QCOMPARE(closes.count(), 1);
        QTest::mouseDClick(&tabs, Qt::LeftButton, {}, tabs.tabRect(1).center());
        QCOMPARE(renames.count(), 1);
    }

    void theListOfPlansTellsLongNamesApart() {
        MainWindow window;
        open(window, {smallGraphFile()});
        addPlans(window);
        const QTabBar& tabs = *window.findChild<VariantBar*>()->tabs();
        QSet<QString> listed;
        for (int tab = 0; tab < tabs.count(); ++tab) listed.insert(tabs.tabText(tab));
        QCOMPARE(listed.size(), tabs.count());
        for (const QString& text : listed) QVERIFY2(text.size() < 40, qPrintable(text));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::PlanNamesTest)
#include "plan_names_test.moc"
