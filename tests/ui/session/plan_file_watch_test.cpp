#include "ui/session/plan_file_watch.h"

#include <QSignalSpy>

#include "tests/ui/ui_test_support.h"

namespace overlap::ui {

/// When a plan's file is found to be changed.
class PlanFileWatchTest : public QObject {
    Q_OBJECT

  private slots:
    void aFileThatIsReadAtOnceIsToldOfLaterAndWatchedOn() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("own.plan.json");
        const auto document = openDocument();
        document->current()->setSaved(path, "of what was saved");
        // So long that what was read is there before look() returns.
        PlanFileWatch watch(*document, nullptr, std::chrono::minutes(1));
        QSignalSpy changed(&watch, &PlanFileWatch::changed);
        for (int change = 1; change <= 2; ++change) {
            QFile own(path);
            QVERIFY(own.open(QIODevice::Append));
            own.write("changed");
            own.close();
            watch.look();
            QVERIFY(watch.busy());
            QCOMPARE(changed.count(), change - 1);
            QTRY_VERIFY(!watch.busy());
            QCOMPARE(changed.count(), change);
            QCOMPARE(changed.back()[1].toString(), path);
        }
    }
};

}  // namespace overlap::ui

QTEST_GUILESS_MAIN(overlap::ui::PlanFileWatchTest)
#include "plan_file_watch_test.moc"
