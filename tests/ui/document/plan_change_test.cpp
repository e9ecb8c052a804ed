#include "ui/document/plan_change.h"

#include <QtTest>
#include <random>

#include "ui/document/variant.h"

namespace overlap::ui {

class PlanChangeTest : public QObject {
    Q_OBJECT

    static Plan planOf(const std::string& letters) {
        Plan plan;
        for (const char letter : letters) plan.buckets.push_back({.modules = {std::string(1, letter)}});
        return plan;
    }

  private slots:
    void entriesAreTakenBackAndPutAgain_data() {
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("after");
        const char* pairs[][2] = {{"", ""},      {"", "a"},     {"a", ""},        {"abc", "abc"}, {"abc", "axc"},
                                  {"aa", "aaa"}, {"aaa", "aa"}, {"abcd", "bacd"}, {"abc", "xyz"}, {"aba", "a"}};
        for (const auto& [before, after] : pairs) QTest::addRow("%s to %s", before, after) << before << after;
    }
    void entriesAreTakenBackAndPutAgain() {
        QFETCH(QString, before);
        QFETCH(QString, after);
        const Plan from = planOf(before.toStdString()), to = planOf(after.toStdString());
        const PlanChange change(from, to);
        QVERIFY(change.undone(to) == from);
        QVERIFY(change.redone(from) == to);
    }

    void theRestOfAPlanIsTakenBackToo() {
        const Plan from = planOf("abc");
        Plan to = planOf("abd");
        to.name = "another name";
        to.pipeline.push_back({.pass = "canonicalize_graph_pass"});
        const PlanChange change(from, to);
        QVERIFY(change.undone(to) == from);
        QVERIFY(change.redone(from) == to);
    }

    void aThousandStepsAreUndoneAndRedone() {
        std::mt19937 random(1);
        Plan plan;
        for (int entry = 0; entry < 500; ++entry)
            plan.buckets.push_back({.modules = {"layers." + std::to_string(entry)}});
        Variant variant(1, plan, false);
        std::vector<Plan> steps = {plan};
        for (int step = 0; step < 1000; ++step) {
            const std::size_t place = random() % plan.buckets.size();
            switch (random() % 4) {
                case 0:
                    plan.buckets.erase(plan.buckets.begin() + static_cast<std::ptrdiff_t>(place));
                    break;
                case 1:
                    std::swap(plan.buckets[place], plan.buckets[random() % plan.buckets.size()]);
                    break;
                case 2:
                    plan.notes = "step " + std::to_string(step);
                    break;
                default:
                    plan.buckets[place].modules.push_back("module " + std::to_string(step));
            }
            variant.edit("edit", plan);
            if (!(steps.back() == plan)) steps.push_back(plan);
        }
        QCOMPARE(variant.undoStack().count(), static_cast<int>(steps.size()) - 1);
        for (auto step = steps.rbegin() + 1; step != steps.rend(); ++step) {
            variant.undoStack().undo();
            QVERIFY(variant.plan() == *step);
        }
        for (auto step = steps.begin() + 1; step != steps.end(); ++step) {
            variant.undoStack().redo();
            QVERIFY(variant.plan() == *step);
        }
    }

    void editsThatAreUndoneTogetherAreOneStep() {
        const Plan start = planOf("abc");
        Variant variant(1, start, false);
        variant.edit("move", planOf("bac"), "move");
        variant.edit("move", planOf("bca"), "move");
        QCOMPARE(variant.undoStack().count(), 1);
        variant.undoStack().undo();
        QVERIFY(variant.plan() == start);
        variant.undoStack().redo();
        QVERIFY(variant.plan() == planOf("bca"));
        variant.edit("move", start, "move");
        QCOMPARE(variant.undoStack().count(), 0);
        QVERIFY(variant.plan() == start);
    }
};

}  // namespace overlap::ui

QTEST_APPLESS_MAIN(overlap::ui::PlanChangeTest)
#include "plan_change_test.moc"
