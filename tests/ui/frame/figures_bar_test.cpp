#include "ui/frame/figures_bar.h"

#include <QHash>
#include <QSignalSpy>
#include <algorithm>
#include <cmath>
#include <optional>

#include "core/advice/advice.h"
#include "core/base/number_text.h"
#include "core/bound/step_work.h"
#include "core/cost/shared_links.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {

class FiguresBarTest : public QObject {
    Q_OBJECT

  private slots:
    void outlivesItsDocument() {
        auto document = openDocument();
        QVERIFY(waitForEvaluation(*document));
        FiguresBar bar(*document);
        QVERIFY(!bar.figures().empty());
        bar.show();
        document.reset();  // also while the bound is being found
        QTest::qWait(50);  // whatever is delivered late
        bar.showInstead(std::vector<Figure>{{QStringLiteral("measured"), QStringLiteral("1 ms"), {}, 0, {}}});
        QCOMPARE(bar.figures().size(), 1);
        bar.showInstead({});
        QVERIFY(bar.figures().empty());
        QVERIFY(!bar.grab().isNull());
    }

    /// As what the device holds.
    void aPeakBeyondALimitIsTold() {
        auto document = openDocument();
        QVERIFY(waitForEvaluation(*document));
        const std::int64_t bytes = document->evaluation()->corrected_memory.peak_bytes;
        FiguresBar bar(*document);
        const auto peak = [&] {
            return *std::ranges::find_if(bar.figures(),
                                         [](const Figure& figure) { return figure.label.startsWith("peak"); });
        };
        bar.setMemoryLimit(bytes);
        QVERIFY(!peak().beyond);
        QVERIFY2(peak().help.contains("The limit that was typed is "), qPrintable(peak().help));
        bar.setMemoryLimit(bytes / 2);
        QVERIFY(peak().beyond);
        QVERIFY2(peak().label.startsWith("peak · limit "), qPrintable(peak().label));
        const QString over = formatBytes(static_cast<double>(bytes - bytes / 2));
        QVERIFY2(peak().help.contains(QString("the peak is %1 beyond it").arg(over)), qPrintable(peak().help));
        bar.setMemoryLimit(0);
        QVERIFY(!peak().beyond && !peak().help.contains("limit"));
    }

    /// As in a window of 1280x800 with tabs of several plans.
    void whereAllDifferencesHaveNoRoomTheStepKeepsIts() {
        auto document = openDocument();
        FiguresBar bar(*document);
        std::vector<Figure> figures;
        for (const char* name : {"step", "exposed", "peak"})
            figures.push_back(
                {QString::fromLatin1(name), QStringLiteral("2451 ms"), QStringLiteral("-316.4 ms"), 1, {}});
        bar.showInstead(figures);
        const QList<int> widths = bar.wantedWidths();
        bar.show();
        const auto shownAt = [&](int width) {
            bar.resize(width, bar.height());
            return bar.differences().size();
        };
        QCOMPARE(shownAt(widths.front()), 3);
        QCOMPARE(shownAt(widths.back()), 0);
        bool one = false;
        for (int width = widths.back(), shown = 0; width < widths.front(); ++width) {
            const auto now = static_cast<int>(shownAt(width));
            QVERIFY(now >= shown);
            QCOMPARE(bar.labels().size(), 3);
            one = one || now == 1;
            shown = now;
            if (shown == 3) break;
        }
        QVERIFY(one);
        QVERIFY(!bar.grab().isNull());
    }

    /// The tabs of five plans leave little room beside them.
    void stepBoundAndPeakWithItsLimitStayLongest() {
        const auto document = openDocument();
        FiguresBar bar(*document);
        const auto figure = [](const char* label, const char* value, int stays) {
            Figure made{QString::fromUtf8(label), QString::fromUtf8(value), QStringLiteral("-316.4 ms"), 1, {}};
            made.stays = stays;
            return made;
        };
        std::vector<Figure> figures{figure("step", "2451 ms", 2), figure("above bound", "10.4 %", 2),
                                    figure("exposed", "89.3 ms", 1), figure("peak · limit 60 GiB", "72.4 GiB", 2),
                                    figure("collectives", "101", 0)};
        figures[0].difference_stays = true;
        figures[1].difference.clear();
        figures[3].short_label = figures[3].label;
        figures[3].briefest_label = QStringLiteral("peak");
        bar.showInstead(figures);
        bar.show();
        bool without_collectives = false, without_exposed = false, without_limit = false;
        for (int width = bar.wantedWidths().front(); width >= bar.minimumSizeHint().width(); --width) {
            bar.resize(width, bar.height());
            const QStringList labels = bar.labels();
            const QString all = labels.join(u'|');
            QCOMPARE(labels.front(), QStringLiteral("step"));
            const bool exposed = labels.contains("exposed"), collectives = labels.contains("collectives");
            QVERIFY2(exposed || !collectives, qPrintable(all));
            const bool limit = labels.contains("peak · limit 60 GiB");
            QVERIFY2(limit || !exposed, qPrintable(all));
            if (exposed) QVERIFY2(labels.contains("above bound") && !bar.differences().isEmpty(), qPrintable(all));
            without_collectives = without_collectives || (exposed && !collectives);
            without_exposed = without_exposed || (limit && !exposed);
            without_limit = without_limit || labels.contains("peak");
        }
        QVERIFY(without_collectives && without_exposed && without_limit);
        QVERIFY(!bar.grab().isNull());
    }

    /// Takes the place of a pass that saves compute: half of the longest node's time.
    void saysWhyNoBoundHolds() {
        std::string saved;
        auto document =
            openDocument([&saved](const auto& graph, const Plan& plan, std::stop_token stop, auto source, auto cache) {
                const auto evaluated = evaluate(graph, plan, std::move(stop), std::move(source), std::move(cache));
                if (!evaluated) return evaluated;  // stopped
                auto saving = std::make_shared<Evaluation>(*evaluated);
                NodeId longest = 0;
                for (NodeId node = 0; node < saving->graph->node_count(); ++node)
                    if (saving->simulation.on_compute(node) && saving->times_ms[node] > saving->times_ms[longest])
                        longest = node;
                saving->times_ms[longest] /= 2;
                saved = saving->graph->name(longest);
                return std::shared_ptr<const Evaluation>(std::move(saving));
            });
        document->addNew(document->loaded().empty_plan);
        QVERIFY(waitForEvaluation(*document));
        const FiguresBar bar(*document);
        QTRY_VERIFY(bar.gap().gap());
        QVERIFY(!bar.gap().gap()->none.isEmpty());
        const Figure& figure = bar.figures().at(1);
        QVERIFY(figure.value == QStringLiteral("no bound") || figure.difference.startsWith(QStringLiteral("no bound")));
        // In the toolbar in a few words, and in the tool tip as a sentence.
        QVERIFY2((figure.label + figure.difference).endsWith(QStringLiteral(" · work left out")),
                 qPrintable(figure.label + figure.difference));
        QVERIFY(figure.help.contains(QString::fromStdString(saved) + QStringLiteral(" takes less time")));
    }

    /// An edit that moves heavy compute gets another bound, and nobody is told that both hold for all plans.
    void theBoundIsThatOfTheOrderOfComputeThatThePlanHas() {
        Document document;
        document.setGraph(
            loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz")));
        document.addNew(document.loaded().empty_plan);
        QVERIFY(waitForEvaluation(document));
        const FiguresBar bar(document);
        QTRY_VERIFY(bar.gap().gap());
        const StepGap::Gap keeping = *bar.gap().gap();
        QVERIFY(!keeping.any_order);
        const QString of_keeping = bar.figures().at(1).help;
        QVERIFY2(of_keeping.contains("No plan that keeps the order of heavy compute has a step below"),
                 qPrintable(of_keeping));
        // Both bounds are told, each with its name and rounded alike: a plan that moves compute has the other one.
        const QString any_order =
            formatPercent(keeping.parts.step_ms / keeping.any_order_ms - 1) + QStringLiteral(" above that");
        QVERIFY2(of_keeping.contains(any_order), qPrintable(of_keeping));
        const QString label = bar.figures().at(1).label + bar.figures().at(1).difference;
        QVERIFY2(label.contains("order kept"), qPrintable(label));
        const auto evaluation = document.evaluation();
        const auto work = step_work(with_shared_links(evaluation->original, LinkSharing::by_host));
        std::optional<Plan> moving;
        for (const std::size_t collective : most_exposed(*evaluation, 60))
            for (const Advice& advice : advice_for(evaluation, collective)) {
                if (moving || !advice.moves_dependents || !advice.refusal.empty()) continue;
                const auto moved = evaluate_like(*evaluation, advice.plan);
                const KeptWork kept = kept_work(*work, *moved);
                if (kept.all && !kept.order) moving = advice.plan;
            }
        QVERIFY(moving);
        document.addNew(std::move(*moving));
        QVERIFY(waitForEvaluation(document));
        QTRY_VERIFY(bar.gap().gap() && bar.gap().gap()->any_order);
        QVERIFY(bar.gap().gap()->bound_ms < keeping.bound_ms);
        const Figure& figure = bar.figures().at(1);
        QVERIFY2(figure.help.contains("whatever the order of heavy compute"), qPrintable(figure.help));
        QVERIFY2(figure.help.contains(" runs before "), qPrintable(figure.help));
        // Why no step is below it, too.
        QVERIFY2(figure.help.contains(bar.gap().gap()->reason), qPrintable(figure.help));
        // What follows what in the other bound is not said of it.
        QVERIFY2(!figure.help.contains(keeping.reason), qPrintable(figure.help));
        QVERIFY2((figure.label + figure.difference).contains("any order"), qPrintable(figure.label));
    }

    void aClickOnTheBoundAsksWhatTheStepIsMadeOf() {
        const auto document = openDocument();
        document->addNew(document->loaded().empty_plan);
        QVERIFY(waitForEvaluation(*document));
        FiguresBar bar(*document);
        QTRY_VERIFY(bar.gap().gap());
        const StepGap::Gap& gap = *bar.gap().gap();
        QVERIFY(gap.of == document->evaluation());
        const StepParts& parts = gap.parts;
        QVERIFY(std::abs(parts.in_every_plan_ms + parts.beyond_ms + parts.waiting_ms - parts.step_ms) < 1e-6);
        QVERIFY2(gap.reason.contains(QString::fromStdString(number_text(parts.in_every_plan_ms))) ||
                     !gap.reason.startsWith("compute takes"),
                 qPrintable(gap.reason));
        bar.resize(bar.sizeHint());
        bar.show();
        QSignalSpy wanted(&bar, &FiguresBar::stepWanted);
        int opening = 0;
        for (int x = 0; x < bar.width(); x += 8) {
            const int before = wanted.count();
            QTest::mouseClick(&bar, Qt::LeftButton, {}, {x, bar.height() / 2});
            if (wanted.count() == before) continue;
            ++opening;
            QVERIFY2(bar.helpAt(x).contains("what the step is made of"), qPrintable(bar.helpAt(x)));
        }
        QVERIFY(opening > 0 && opening < bar.width() / 8);
    }

    /// Shared links expose more than the first step says: no width may leave out whose exposed time is shown.
    void exposedTimeIsNeverTakenForThatOfAnotherStep() {
        constexpr double shared_step_ms = 5000, shared_exposed_ms = 4000;
        auto document =
            openDocument([](const auto& graph, const Plan& plan, std::stop_token stop, auto source, auto cache) {
                const auto evaluated = evaluate(graph, plan, std::move(stop), std::move(source), std::move(cache));
                if (!evaluated) return evaluated;  // stopped
                auto sharing = std::make_shared<Evaluation>(*evaluated);
                sharing->on_shared_links.emplace();
                sharing->on_shared_links->step_ms = shared_step_ms;
                sharing->on_shared_links->exposed_ms = shared_exposed_ms;
                return std::shared_ptr<const Evaluation>(std::move(sharing));
            });
        document->addNew(document->loaded().empty_plan);
        QVERIFY(waitForEvaluation(*document));
        FiguresBar bar(*document);
        const auto exposed = std::ranges::find(bar.figures(), formatTime(shared_exposed_ms), &Figure::value);
        QVERIFY(exposed != bar.figures().end());
        const auto place = static_cast<qsizetype>(exposed - bar.figures().begin());
        for (const int width : bar.wantedWidths()) {
            bar.resize(width, bar.sizeHint().height());
            QVERIFY(bar.labels().front().startsWith(QStringLiteral("step")));
            QVERIFY2(bar.labels().at(place).contains(QStringLiteral("links shared")),
                     qPrintable(bar.labels().at(place)));
        }
    }

    /// Whether a limit of 1600 ms is met.
    void aStepOfSecondsHasADigitAfterThePointAndAllInItsToolTip() {
        auto document =
            openDocument([](const auto& graph, const Plan& plan, std::stop_token stop, auto source, auto cache) {
                const auto evaluated = evaluate(graph, plan, std::move(stop), std::move(source), std::move(cache));
                if (!evaluated) return evaluated;  // stopped
                auto longer = std::make_shared<Evaluation>(*evaluated);
                longer->simulation.step_ms = 1600.3124;
                return std::shared_ptr<const Evaluation>(std::move(longer));
            });
        document->addNew(document->loaded().empty_plan);
        QVERIFY(waitForEvaluation(*document));
        const FiguresBar bar(*document);
        const Figure& step = bar.figures().front();
        QCOMPARE(step.value, QStringLiteral("1600.3") + thinSpace + QStringLiteral("ms"));
        QVERIFY2(step.help.contains(QStringLiteral("1600.312") + thinSpace + QStringLiteral("ms")),
                 qPrintable(step.help));
    }

    /// An edit may bring a digit after the point, which must not move what stands behind it.
    void roomIsKeptForDigitsThatAreZeroNow() {
        const auto document = openDocument();
        FiguresBar bar(*document);
        const auto show = [&](double step_ms) {
            bar.showInstead(std::vector<Figure>{{QStringLiteral("step"), formatTime(step_ms), {}, 0, {}}});
            return bar.wantedWidths();
        };
        const std::vector<std::pair<double, double>> steps{{2, 2.3}, {1600, 1600.3}, {78'100, 78'136}};
        for (const auto& [whole_ms, other_ms] : steps) {
            const QList<int> whole = show(whole_ms);
            QCOMPARE(show(other_ms), whole);
            bar.showInstead({});
        }
    }

    /// Tabs beside the figures stand where these leave room.
    void roomIsKeptOverEdits() {
        auto document = openDocument();
        document->setCurrentIndex(0);
        QVERIFY(waitForEvaluation(*document));
        FiguresBar bar(*document);
        QTRY_VERIFY(bar.gap().gap());
        const QList<int> first = bar.wantedWidths();  // of the baseline, which has no differences
        document->addNew(document->loaded().empty_plan);
        QVERIFY(waitForEvaluation(*document));
        QTRY_VERIFY(bar.gap().gap());
        for (const char* bucket : {"layers.0", "layers.1", "layers.2", "layers.3", "norm+output"}) {
            BucketCommands(*document).addText(QString::fromLatin1(bucket));
            QCOMPARE(bar.wantedWidths(), first);
            QVERIFY(waitForEvaluation(*document));
            QTRY_VERIFY(bar.gap().gap());
            QCOMPARE(bar.wantedWidths(), first);
        }
        // All of that has room: nothing has to be left out for it.
        bar.resize(first.front(), bar.sizeHint().height());
        QVERIFY(std::ranges::count(bar.differences(), QString()) <= 1);  // of the bound there is none
    }

    /// Who reads a figure finds it where it was, and the others, too: also when the bound is found.
    void figuresStayInTheirPlaces() {
        auto document = openDocument();
        document->setCurrentIndex(0);
        QVERIFY(waitForEvaluation(*document));
        FiguresBar bar(*document);
        for (const std::size_t detail : {0u, 1u, 2u}) {
            bar.resize(bar.wantedWidths()[static_cast<qsizetype>(detail)], bar.sizeHint().height());
            const auto places = [&] {
                QHash<QString, int> lefts;
                for (std::size_t figure = 0; figure < static_cast<std::size_t>(bar.labels().size()); ++figure)
                    if (const QString label = bar.labels()[static_cast<qsizetype>(figure)];
                        !label.startsWith("above bound"))
                        lefts.insert(label.section(QStringLiteral(" · "), 0, 0), bar.left(figure));
                return lefts;
            };
            const QHash<QString, int> first = places();
            QCOMPARE(first.size(), 4);
            document->addNew(document->loaded().empty_plan);
            for (const char* bucket : {"layers.0", "layers.1", "norm+output"}) {
                BucketCommands(*document).addText(QString::fromLatin1(bucket));
                QVERIFY(waitForEvaluation(*document));
                QCOMPARE(places(), first);
                QTRY_VERIFY(bar.gap().gap());
                QCOMPARE(places(), first);
            }
            document->setCurrentIndex(0);
        }
    }

    /// From the moment an edit is evaluated until its bound is found.
    void theBoundSaysThatItIsBeingFound() {
        const auto document = openDocument();
        document->addNew(document->loaded().empty_plan);
        QVERIFY(waitForEvaluation(*document));
        FiguresBar bar(*document);
        QTRY_VERIFY(bar.gap().gap());
        const QString label = bar.figures().at(1).label;
        const std::size_t count = bar.figures().size();
        const QString found = bar.figures().at(1).value + bar.figures().at(1).difference;
        bar.resize(bar.minimumSizeHint());  // also where no room is kept
        bool told = false;
        connect(&bar.gap(), &StepGap::changed, &bar, [&] {
            if (bar.gap().gap()) return;
            const Figure& figure = bar.figures().at(1);
            told = bar.gap().coming() && figure.label == label && (figure.value + figure.difference).contains(u'…') &&
                   figure.help.contains("is being worked out");
        });
        BucketCommands(*document).addText("layers.0");
        QVERIFY(waitForEvaluation(*document));
        QVERIFY(told);
        QCOMPARE(bar.figures().size(), count);
        QTRY_VERIFY(bar.gap().gap());
        QVERIFY(!(bar.figures().at(1).value + bar.figures().at(1).difference).contains(u'…'));
        QCOMPARE(bar.figures().at(1).label, label);
        QVERIFY(!found.contains(u'…'));
    }

    void lessDetailIsNarrower() {
        auto document = openDocument();
        QVERIFY(waitForEvaluation(*document));
        const FiguresBar bar(*document);
        const QList<int> widths = bar.wantedWidths();
        QVERIFY(std::is_sorted(widths.rbegin(), widths.rend()));
        QCOMPARE(bar.sizeHint().width(), widths.front());
        QVERIFY(bar.minimumSizeHint().width() <= widths.back());
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::FiguresBarTest)
#include "figures_bar_test.moc"
