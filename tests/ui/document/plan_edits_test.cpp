#include "ui/document/plan_edits.h"

#include "tests/ui/ui_test_support.h"

namespace overlap::ui {

/// Buckets as text: modules joined by `+`, entries by a space.
static QString text(const Buckets& buckets) {
    QStringList entries;
    for (const BucketEntry& entry : buckets) {
        QStringList modules;
        for (const std::string& module : entry.modules) modules.append(QString::fromStdString(module));
        entries.append(modules.join(u'+'));
    }
    return entries.join(u' ');
}

static Buckets buckets(const QString& description) {
    Buckets result;
    for (const QString& entry : description.split(u' ', Qt::SkipEmptyParts)) {
        BucketEntry bucket;
        for (const QString& module : entry.split(u'+')) bucket.modules.push_back(module.toStdString());
        result.push_back(bucket);
    }
    return result;
}

class PlanEditsTest : public QObject {
    Q_OBJECT

  private slots:
    void edits_data() {
        QTest::addColumn<QString>("result");
        QTest::addColumn<QString>("expected");
        const Buckets start = buckets("a b+c d");
        QTest::newRow("add in the middle") << text(edits::add(start, 1, buckets("x y"))) << "a x y b+c d";
        QTest::newRow("add beyond the end") << text(edits::add(start, 99, buckets("x"))) << "a b+c d x";
        QTest::newRow("remove") << text(edits::remove(start, {2, 0, 2, 9})) << "b+c";
        QTest::newRow("move onto another") << text(edits::moveModules(start, {"d"}, 1)) << "a b+c+d";
        QTest::newRow("move onto a later one, emptying an earlier")
            << text(edits::moveModules(start, {"a"}, 2)) << "b+c d+a";
        QTest::newRow("move onto its own") << text(edits::moveModules(start, {"b"}, 1)) << "a b+c d";
        QTest::newRow("move several") << text(edits::moveModules(start, {"a", "b"}, 2)) << "c d+a+b";
        QTest::newRow("move new module") << text(edits::moveModules(start, {"x"}, 0)) << "a+x b+c d";
        QTest::newRow("move into new at the front") << text(edits::moveModulesToNew(start, {"c"}, 0)) << "c a b d";
        QTest::newRow("move into new behind an emptied one")
            << text(edits::moveModulesToNew(start, {"a"}, 1)) << "a b+c d";
        QTest::newRow("move into new at the end") << text(edits::moveModulesToNew(start, {"a", "c"}, 3)) << "b d a+c";
        QTest::newRow("take out") << text(edits::takeOut(start, {"a", "c"})) << "b d";
        QTest::newRow("merge") << text(edits::merge(start, {2, 0})) << "a+d b+c";
        QTest::newRow("merge one") << text(edits::merge(start, {2})) << "a b+c d";
        QTest::newRow("split") << text(edits::split(start, 1)) << "a b c d";
        QTest::newRow("split a single") << text(edits::split(start, 0)) << "a b+c d";
        QTest::newRow("move entry down") << text(edits::moveEntry(start, 0, 2)) << "b+c d a";
        QTest::newRow("move entry up") << text(edits::moveEntry(start, 2, 0)) << "d a b+c";
        QTest::newRow("reorder within") << text(edits::moveModuleWithin(start, 1, 0, 1)) << "a c+b d";
        QTest::newRow("replace") << text(edits::replaceModule(start, 1, "c", "x")) << "a b+x d";
        QTest::newRow("remove one module") << text(edits::removeModule(start, 1, "c")) << "a b d";
        QTest::newRow("remove the last module") << text(edits::removeModule(start, 0, "a")) << "b+c d";
        QTest::newRow("out of range") << text(edits::moveEntry(start, 0, 7)) << "a b+c d";
    }
    void edits() {
        QFETCH(QString, result);
        QTEST(result, "expected");
    }

    void bucketOfModuleTakesTheNearestOwner() {
        const Buckets some = buckets("layers.1 layers.10+norm");
        QCOMPARE(bucketOfModule(some, "layers.1"), 0);
        QCOMPARE(bucketOfModule(some, "layers.1.attention"), 0);
        QCOMPARE(bucketOfModule(some, "layers.10.attention"), 1);
        QCOMPARE(bucketOfModule(some, "norm"), 1);
        QCOMPARE(bucketOfModule(some, "layers.2"), -1);
        QCOMPARE(bucketOfModule(some, "layers"), -1);
    }

    void dropsAreRefusedWithReasons() {
        const LoadedGraph loaded = loadGraph(smallGraphFile());
        const auto refusal = [&](const QString& now, const std::vector<std::string>& modules, std::size_t target) {
            return dropRefusal(*loaded.graph, *loaded.modules, *loaded.eligibility, buckets(now), modules, target);
        };
        QCOMPARE(refusal("layers.0", {"layers.1"}, 0), QString());
        QCOMPARE(refusal("layers.0 layers.1", {"layers.1"}, 0), QString());
        QCOMPARE(refusal("layers.0+layers.1", {"layers.1"}, 99), QString());
        QVERIFY(refusal("layers.0", {"layers.77"}, 0).contains("no module layers.77"));
        QVERIFY(refusal("layers.0 layers.1", {"layers.0.attention"}, 1)
                    .contains("overlaps layers.0, which is in bucket layers.0"));
        QVERIFY(refusal("layers.0", {"layers.1", "layers.1.attention"}, 0).contains("overlaps layers.1"));
        QVERIFY(
            refusal("layers.0", {"layers.1.attention.inner_attention"}, 0).contains("nothing that can be bucketed"));
    }
};

}  // namespace overlap::ui

QTEST_GUILESS_MAIN(overlap::ui::PlanEditsTest)
#include "plan_edits_test.moc"
