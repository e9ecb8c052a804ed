#include "ui/session/recent_files.h"

#include <QMenu>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include "ui/session/session_state.h"

namespace overlap::ui {

class RecentFilesTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    SessionState state_;

    QString makeFile(const char* name) const {
        QFile file(folder_.filePath(QString::fromLatin1(name)));
        return file.open(QIODevice::WriteOnly) ? file.fileName() : QString();
    }

  private slots:
    void init() { state_ = {}; }

    void theNewestIsFirst() {
        QMenu menu;
        RecentFiles recent(state_);
        recent.setMenu(menu);
        QVERIFY(!menu.isEnabled());
        const QString a = makeFile("a.json"), b = makeFile("b.json");
        recent.add({a});
        recent.add({b});
        QCOMPARE(state_.recent_files, (QStringList{b, a}));
        QCOMPARE(menu.actions().at(0)->text(), "b.json");
        QCOMPARE(menu.actions().at(1)->toolTip(), a);
        QVERIFY(menu.isEnabled());
    }

    void choosingOneOpensIt() {
        QMenu menu;
        RecentFiles recent(state_);
        recent.setMenu(menu);
        recent.add({makeFile("a.json")});
        QSignalSpy wanted(&recent, &RecentFiles::openWanted);
        menu.actions().at(0)->trigger();
        QCOMPARE(wanted.count(), 1);
        QCOMPARE(wanted[0][0].toString(), folder_.filePath("a.json"));
    }

    void aFileThatIsAwayKeepsItsPlace() {
        QMenu menu;
        RecentFiles recent(state_);
        recent.setMenu(menu);
        recent.add({folder_.filePath("away.json")});
        recent.add({makeFile("here.json")});
        QTRY_VERIFY(!menu.actions().at(1)->isEnabled());
        QVERIFY(menu.actions().at(0)->isEnabled());
    }

    void theListCanBeCleared() {
        QMenu menu;
        RecentFiles recent(state_);
        recent.setMenu(menu);
        recent.add({makeFile("a.json")});
        QSignalSpy cleared(&recent, &RecentFiles::cleared);
        menu.actions().back()->trigger();
        QCOMPARE(cleared.count(), 1);
        QVERIFY(state_.recent_files.isEmpty() && menu.isEmpty() && !menu.isEnabled());
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::RecentFilesTest)
#include "recent_files_test.moc"
