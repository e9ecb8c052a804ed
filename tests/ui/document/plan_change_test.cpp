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

    void aChangeKnowsThePlansThatItIsBetween() {
        Plan from = planOf("abc"), to = planOf("abd");
        to.pipeline.push_back({.pass = "canonicalize_graph_pass"});
        const PlanChange change(from, to);
        QVERIFY(change.finds(from) && change.leaves(to));
        QVERIFY(!change.finds(to) && !change.leaves(from));
        Plan renamed = to;
        renamed.name = "4.2 ms · 3 GiB";  // as a name that follows the figures
        QVERIFY(change.leaves(renamed));
        QCOMPARE(renamed.name, "4.2 ms · 3 GiB");
        QCOMPARE(renamed.buckets.size(), 3u);
        Plan shorter = planOf("ab");
        shorter.pipeline = to.pipeline;
        QVERIFY(!change.leaves(shorter));
        Plan empty;
        QVERIFY(!PlanChange(0, 7, {}, {}).finds(empty));
    }

    void aHistoryFitsItsPlanAlone() {
        Variant variant(1, planOf("a"), false);
        for (const char* letters : {"ab", "abc", "bc"}) variant.edit("edit", planOf(letters));
        variant.undoStack().undo();
        const PlanHistory history = *variant.history();
        QCOMPARE(history.done, 2);
        QVERIFY(fits(history, planOf("abc")));
        QVERIFY(!fits(history, planOf("ab")) && !fits(history, planOf("abx")));
        for (const int done : {-1, 1, 3, 4}) {
            PlanHistory other = history;
            other.done = done;
            QVERIFY2(!fits(other, planOf("abc")), qPrintable(QString::number(done)));
        }
        PlanHistory gap = history;
        gap.edits.erase(gap.edits.begin());
        gap.done = 1;
        QVERIFY2(fits(gap, planOf("abc")), "it begins later");
        gap = history;
        gap.edits.erase(gap.edits.begin() + 1);
        gap.done = 1;
        QVERIFY(!fits(gap, planOf("abc")));
        gap = history;
        gap.saved = 4;
        QVERIFY(!fits(gap, planOf("abc")));
    }

    void editsComeBackApartAndWithTheStateThatWasSaved() {
        Variant first(1, planOf("a"), false);
        first.edit("slide", planOf("ab"), "key");
        first.setSaved("/a.plan.json");
        first.edit("slide", planOf("abc"), "key");  // not merged: what was saved lies between
        QCOMPARE(first.undoStack().count(), 2);
        for (const int undone : {0, 1, 2}) {
            Variant again(2, first.plan(), false);
            again.restoreHistory(*first.history());
            again.setKept("/a.plan.json", {}, first.modified());
            QCOMPARE(again.undoStack().count(), 2);
            QCOMPARE(again.undoStack().index(), 2 - undone);
            QCOMPARE(again.undoStack().cleanIndex(), 1);
            QCOMPARE(again.modified(), undone != 1);
            QVERIFY(again.plan() == first.plan());
            again.undoStack().setIndex(0);
            QVERIFY(again.plan() == planOf("a"));
            again.undoStack().setIndex(2);
            QVERIFY(again.plan() == planOf("abc"));
            again.edit("slide", planOf("abcd"), "key");
            QCOMPARE(again.undoStack().count(), 2);  // goes on where it was
            first.undoStack().undo();
        }
    }

    void aHistoryIsTheSameUntilItChanges() {
        Variant variant(1, planOf("a"), false);
        variant.edit("slide", planOf("ab"), "key");
        auto history = variant.history();
        QCOMPARE(variant.history(), history);
        const auto has_changed = [&] { return std::exchange(history, variant.history()) != variant.history(); };
        variant.edit("slide", planOf("abc"), "key");
        QVERIFY(has_changed());
        variant.undoStack().undo();
        QVERIFY(has_changed());
        variant.setSaved("/a.plan.json");
        QVERIFY(has_changed());
        QCOMPARE(history->saved, 0);
        variant.undoStack().redo();
        QVERIFY(has_changed());
        variant.setUnsaved("/a.plan.json");
        QVERIFY(has_changed());
        QCOMPARE(history->saved, -1);
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
