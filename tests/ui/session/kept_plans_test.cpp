#include "ui/session/kept_plans.h"

#include <QJsonArray>
#include <QThread>

#include "core/base/error.h"
#include "core/io/plan/plan_file.h"
#include "tests/ui/ui_test_support.h"
#include "ui/document/plan_history.h"
#include "ui/files/file_digest.h"
#include "ui/files/file_looks.h"

namespace overlap::ui {

/// How plans of the session open again, beside what their files have by then.
class KeptPlansTest : public QObject {
    Q_OBJECT

    LoadedGraph loaded_;
    FileLooks looks_;
    std::unique_ptr<QTemporaryDir> folder_;

    QString file() const { return folder_->filePath("a.plan.json"); }
    Plan planWith(const char* module) const {
        Plan plan = loaded_.empty_plan;
        plan.buckets = {{.modules = {module}}};
        return plan;
    }
    void write(const Plan& plan) const { write_plan_file(plan, file().toStdString()); }
    SessionVariant keep(const Plan& plan, bool modified) const {
        return {QByteArray::fromStdString(write_plan_text(plan)), file(), modified, fileDigest(file())};
    }

  private slots:
    void initTestCase() { loaded_ = loadGraph(smallGraphFile()); }
    void init() { folder_ = std::make_unique<QTemporaryDir>(); }

    void aPlanWhoseFileIsAsItWasOpensAsKept() {
        write(planWith("layers.0"));
        QStringList told;
        const auto restored = restoreKeptPlan(keep(planWith("layers.1"), true), loaded_, looks_, {}, told);
        QCOMPARE(restored.size(), 1u);
        QVERIFY(restored[0].plan == planWith("layers.1"));
        QVERIFY(restored[0].modified && told.isEmpty());
    }

    void aSilentFolderMattersOnlyWhereEditsAreInIt() {
        FileLooks looks(std::chrono::milliseconds(1));
        looks.setLook([](const QString&) { QThread::msleep(200); });
        SessionVariant kept{QByteArray::fromStdString(write_plan_text(planWith("layers.0"))), {}, true};
        QStringList told;
        const auto history = [&] {
            told.clear();
            return restoreKeptPlan(kept, loaded_, looks, {}, told, "/silent").front().history;
        };
        QVERIFY(!history() && told.isEmpty());
        kept.history.stored = {{"version", 1}, {"parts", QJsonArray{QJsonObject{{"edits", QJsonArray{}}}}}};
        QVERIFY(history() && told.isEmpty());
        kept.history.stored["parts"] = QJsonArray{QJsonObject{{"file", "a.edits"}}};
        QVERIFY(!history());
        QCOMPARE(told.size(), 1);
        QVERIFY2(told[0].startsWith("Earlier edits of Plan A can no longer be undone: "), qPrintable(told[0]));
        kept.history.live = std::make_shared<const PlanHistory>();
        QVERIFY(history() && told.isEmpty());
    }

    void aFileThatWasChangedIsReadAgain() {
        write(planWith("layers.0"));
        const SessionVariant kept = keep(planWith("layers.0"), false);
        write(planWith("layers.1"));
        QStringList told;
        const auto restored = restoreKeptPlan(kept, loaded_, looks_, {}, told);
        QCOMPARE(restored.size(), 1u);
        QVERIFY(restored[0].plan == planWith("layers.1"));
        QVERIFY(!restored[0].modified);
        QCOMPARE(told, QStringList{file() + " was changed on disk and was read again"});
    }

    void aFoundPlanThatWasChangedHasNoOldFigures() {
        Plan found = planWith("layers.0");
        found.name = "Found 5 ms at 2 GiB";
        write(found);
        const SessionVariant kept = keep(found, false);
        found.buckets = planWith("layers.1").buckets;
        write(found);
        QStringList told;
        const auto restored = restoreKeptPlan(kept, loaded_, looks_, {}, told);
        QCOMPARE(restored[0].plan.name, std::string("Edited plan"));
        QCOMPARE(told.size(), 1);
    }

    void editsStandBesideAFileThatWasChanged() {
        write(planWith("layers.0"));
        const SessionVariant kept = keep(planWith("layers.2"), true);
        write(planWith("layers.1"));
        QStringList told;
        const auto restored = restoreKeptPlan(kept, loaded_, looks_, {}, told);
        QCOMPARE(restored.size(), 2u);
        QVERIFY(restored[0].plan == planWith("layers.2") && restored[0].modified);
        QVERIFY(restored[1].plan == planWith("layers.1") && !restored[1].modified);
        QCOMPARE(told.size(), 1);
    }

    void theFilesVersionOpensOnce() {
        write(planWith("layers.0"));
        const SessionVariant kept = keep(planWith("layers.2"), true);
        write(planWith("layers.1"));
        const SessionVariant version = keep(planWith("layers.1"), false);
        QStringList told;
        const auto restored = restoreKeptPlan(kept, loaded_, looks_, {kept, version}, told);
        QCOMPARE(restored.size(), 1u);
        QVERIFY(restored[0].plan == planWith("layers.2") && restored[0].modified);
        QVERIFY2(restored[0].digest == kept.digest, "saving it asks before it replaces the file's version");
        QVERIFY(told.isEmpty());
        // Yet another version is news.
        write(planWith("layers.3"));
        QCOMPARE(restoreKeptPlan(kept, loaded_, looks_, {kept, version}, told).size(), 2u);
        QCOMPARE(told.size(), 1);
    }

    void aPlanWhoseFileIsGoneIsUnsaved() {
        write(planWith("layers.0"));
        const SessionVariant kept = keep(planWith("layers.0"), false);
        QVERIFY(QFile::remove(file()));
        QStringList told;
        const auto restored = restoreKeptPlan(kept, loaded_, looks_, {}, told);
        QCOMPARE(restored.size(), 1u);
        QVERIFY(restored[0].modified);
        QCOMPARE(told, QStringList{file() + " is gone; its plan is kept here, unsaved"});
    }

    void aPlanOfAnotherGraphIsRefused() {
        Plan other = planWith("layers.0");
        other.graph->digest = "0000000000000000";
        QStringList told;
        const SessionVariant kept{QByteArray::fromStdString(write_plan_text(other)), {}, true};
        QVERIFY_THROWS_EXCEPTION(InputError, restoreKeptPlan(kept, loaded_, looks_, {}, told));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::KeptPlansTest)
#include "kept_plans_test.moc"
