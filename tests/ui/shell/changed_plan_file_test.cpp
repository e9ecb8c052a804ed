#include <QSignalSpy>
#include <functional>

#include "core/io/plan/plan_file.h"
#include "tests/ui/shell/session_fixture.h"
#include "tests/ui/ui_test_support.h"
#include "ui/files/file_digest.h"

namespace overlap::ui {

/// Starts after the file of a plan was changed by someone else.
class ChangedPlanFileTest : public QObject {
    Q_OBJECT

    LoadedGraph graph_;
    std::unique_ptr<QTemporaryDir> folder_;

    QString file() const { return folder_->filePath("a.plan.json"); }
    Plan planWith(const char* module) const {
        Plan plan = graph_.empty_plan;
        plan.buckets = {{.modules = {module}}};
        return plan;
    }

    /// One start, and its end. @returns what it says of the plans.
    QStringList start(const std::function<void(Document&)>& act) const {
        SessionFixture fixture;
        fixture.session.open(folder_->path());
        QSignalSpy warned(&fixture.session, &NoticeSource::warnedAlso);
        fixture.document.setGraph(graph_);
        act(fixture.document);
        if (const QString problem = fixture.session.store(); !problem.isEmpty()) return {problem};
        QStringList sentences;
        for (const QVariantList& warning : warned) sentences.append(warning[0].toString());
        return sentences;
    }
    /// Plans with edits of the file, before it is changed; they may come from several windows.
    void leaveUnsaved(int plans) const {
        write_plan_file(planWith("layers.0"), file().toStdString());
        start([&](Document& document) {
            for (int i = 1; i < plans; ++i) document.addNew(planWith("layers.3"));
            for (int i = 1; i <= plans; ++i) document.variant(i).setUnsaved(file(), fileDigest(file()));
        });
        write_plan_file(planWith("layers.1"), file().toStdString());
    }

  private slots:
    void initTestCase() { graph_ = loadGraph(smallGraphFile()); }
    void init() { folder_ = std::make_unique<QTemporaryDir>(); }

    void theFilesVersionOpensAtOneStart() {
        leaveUnsaved(1);
        const auto has_both = [&](const Document& document) {
            QCOMPARE(document.variantCount(), 3);
            QVERIFY(document.variant(1).modified());
            QVERIFY(document.variant(2).plan().buckets == planWith("layers.1").buckets);
            QVERIFY(!document.variant(2).modified());
            QVERIFY2(document.variant(2).title() != document.variant(1).title(), "the two can be told apart");
        };
        QCOMPARE(start(has_both),
                 QStringList{file() + " was changed on disk; your unsaved plan and the file's are both open"});
        QCOMPARE(start(has_both), QStringList());
        QCOMPARE(start(has_both), QStringList());
        // Another change is in the tab that the file has.
        write_plan_file(planWith("layers.2"), file().toStdString());
        start([&](const Document& document) {
            QCOMPARE(document.variantCount(), 3);
            QVERIFY(document.variant(2).plan().buckets == planWith("layers.2").buckets);
        });
    }

    void twoPlansOfAFileHaveOneTabOfItsVersion() {
        leaveUnsaved(2);
        const QStringList told = start([](const Document& document) { QCOMPARE(document.variantCount(), 4); });
        QCOMPARE(told.size(), 1);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::ChangedPlanFileTest)
#include "changed_plan_file_test.moc"
