#include <QFontMetricsF>
#include <QLabel>
#include <QLineEdit>
#include <QTextDocumentFragment>
#include <QToolButton>
#include <set>
#include <vector>

#include "tests/ui/graph/shown_graph.h"
#include "ui/edits/bucket_commands.h"
#include "ui/edits/pipeline_commands.h"
#include "ui/graph/edge_labels.h"
#include "ui/graph/graph_controls.h"
#include "ui/graph/graph_metrics.h"
#include "ui/graph/graph_painter.h"
#include "ui/theme/theme.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {

/// What boxes of the graph and the controls above them show.
class GraphBoxesTest : public ShownGraph {
    Q_OBJECT

  private slots:
    void init() { open(); }
    void cleanup() { close(); }

    void figuresFitIntoTheirBoxes() {
        const QFontMetricsF metrics(textFont(smallTextPx));
        for (const PlacedBox& placed : model_->arrangement().boxes) {
            const QString figures = model_->texts().figures(placed.box);
            const double room = placed.rect.width - 2 * boxMargin - arrowRoom;
            if (placed.rect.width < widestBox)
                QVERIFY2(metrics.horizontalAdvance(figures) <= room, qPrintable(figures));
        }
    }

    void boxesCountWhatRunsWithThePlansPasses() {
        const auto gathers = [this] {
            QStringList texts;
            for (BoxId box = 0; box < model_->tree().box_count(); ++box)
                if (model_->tree().box(box).kind == BoxKind::module && model_->texts().figures(box).contains("gathers"))
                    texts.append(model_->texts().figures(box));
            return texts;
        };
        const QStringList before = gathers();
        PipelineCommands(*document_).add("deduplicate_fsdp_unshard_chains_pass", 0);
        QVERIFY(waitForEvaluation(*document_));
        QVERIFY(gathers().size() < before.size());
        document_->undoGroup().undo();
        QVERIFY(waitForEvaluation(*document_));
        QCOMPARE(gathers(), before);
    }

    void bytesBesideEdgesKeepClearOfAllBoxes() {
        for (const PlacedBox& placed : std::vector(model_->arrangement().boxes))
            if (model_->tree().has_children(placed.box)) model_->setOpen(placed.box, true);
        const Arrangement& arrangement = model_->arrangement();
        const QRectF everything(0, 0, arrangement.size.width, arrangement.size.height);
        int labels = 0;
        for (const PlacedLevel& level : arrangement.levels) {
            for (const EdgeLabel& label : edgeLabels(*model_, level, everything)) {
                ++labels;
                for (std::uint32_t i = level.first_box; i < level.first_box + level.box_count; ++i)
                    QVERIFY2(!toQt(arrangement.boxes[i].rect).intersects(label.room), qPrintable(label.text));
            }
        }
        QVERIFY(labels > 10);
    }

    void stripesAreAsHighAsTheirShareOfExposedTime() {
        const BoxColours& colours = model_->colours();
        double longest = 0, fullest = 0;
        std::set<double> heights;
        for (const PlacedBox& placed : model_->arrangement().boxes) {
            const auto parts = colours.stripe(placed.box, BoxColouring::exposed, currentTheme());
            QCOMPARE(parts.isEmpty(), colours.exposedMs(placed.box) <= 0);
            if (parts.isEmpty()) continue;
            QVERIFY(parts.front().hatched);
            longest = std::max(longest, colours.exposedMs(placed.box));
            fullest = std::max(fullest, parts.front().filled);
            heights.insert(parts.front().filled);
        }
        QVERIFY(longest > 0);
        QCOMPARE(fullest, 1.0);
        QVERIFY(heights.size() > 2);
    }

    void stripesAreAsHighAsTheirShareOfThePeak() {
        const BoxColours& colours = model_->colours();
        QCOMPARE(colours.peakBytes(BoxTree::root),
                 static_cast<double>(document_->evaluation()->corrected_memory.peak_bytes));
        std::set<double> heights;
        for (const PlacedBox& placed : model_->arrangement().boxes) {
            const auto parts = colours.stripe(placed.box, BoxColouring::memory, currentTheme());
            QCOMPARE(parts.isEmpty(), colours.peakBytes(placed.box) <= 0);
            if (!parts.isEmpty()) heights.insert(parts.front().filled);
        }
        QVERIFY(heights.size() > 2);
        QCOMPARE(*heights.rbegin(), 1.0);
    }

    void aPileTellsWhatEachOfItIsExposed() {
        for (const PlacedBox& placed : model_->arrangement().boxes) {
            const bool pile = model_->tree().box(placed.box).kind == BoxKind::run;
            QCOMPARE(model_->texts().exposed(placed.box, 12).contains(u'×'), pile);
        }
    }

    void theSearchStaysWhereTheHeaderIsNarrow() {
        GraphView view(*model_);
        GraphControls controls(view);
        controls.resize(360, 30);
        controls.show();
        QVERIFY(QTest::qWaitForWindowExposed(&controls));
        const auto* search = controls.findChild<QLineEdit*>();
        QVERIFY(search && search->isVisible());
        QVERIFY(search->width() >= 60);
    }

    void whatIsSelectedMovesNoControl() {
        GraphView view(*model_);
        QWidget window;  // which lets them be narrower than their layout wants to be
        GraphControls controls(view, &window);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        const auto places = [&] {
            runAllDue();
            QStringList found;
            for (const QWidget* control : controls.findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
                if (const auto* button = qobject_cast<const QToolButton*>(control); button && button->isVisible())
                    found.append(QStringLiteral("%1 %2").arg(button->x()).arg(button->text()));
            return found + QStringList(QString::number(controls.searchField()->width()));
        };
        bool with_words = false;
        for (int width = 390; width < 1000; width += 10) {
            document_->selection().clear();
            controls.resize(width, 30);
            const QStringList before = places();
            QVERIFY(controls.searchField()->width() >= 100);
            view.select(model_->tree().box_of(document_->modules().find("layers.0.feed_forward"), Phase::forward));
            QCOMPARE(places(), before);
            QVERIFY(controls.findChild<QLabel*>()->isVisible());
            with_words = with_words || before.join(u' ').contains("show: ");
        }
        QVERIFY(with_words);
    }

    /// The box itself stays where what is around it has no room.
    void aPathIsShortenedFromTheOutside() {
        GraphView view(*model_);
        QWidget window;  // which lets them be narrower than their layout wants to be
        GraphControls controls(view, &window);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        view.select(model_->tree().box_of(document_->modules().find("layers.0.feed_forward"), Phase::forward));
        const auto* name = controls.findChild<QLabel*>();
        const auto* search = controls.findChild<QLineEdit*>();
        const auto shown = [&] { return QTextDocumentFragment::fromHtml(name->text()).toPlainText(); };
        bool whole = false, shortened = false, hidden = false;
        for (int width = 120; width < 1000; width += 5) {
            controls.resize(width, 30);
            runAllDue();
            QVERIFY(search->width() >= 60);
            if (!name->isVisible()) {
                hidden = true;
                QVERIFY2(width < 200, qPrintable(QString::number(width)));
                continue;
            }
            QVERIFY2(name->width() >= name->sizeHint().width(), qPrintable(QString::number(width)));
            if (shown() == QStringLiteral("layers.0 › feed_forward"))
                whole = true;
            else if (shown() == QStringLiteral("… › feed_forward"))
                shortened = true;
            QCOMPARE(name->toolTip(), QStringLiteral("layers.0 › feed_forward"));
        }
        QVERIFY(whole);
        QVERIFY(shortened);
        QVERIFY(hidden);
    }

    /// Not the last of them; how many they are is said wherever there is room for a word.
    void severalModulesAreNamedTogether() {
        GraphView view(*model_);
        QWidget window;  // which lets them be narrower than their layout wants to be
        GraphControls controls(view, &window);
        controls.resize(1200, 30);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        const auto* name = controls.findChild<QLabel*>();
        const QStringList modules{"norm", "lm_head", "layers.1", "layers.2", "layers.3", "layers.4", "tok_embeddings"};
        document_->selection().selectModules(modules);
        const QString whole = QStringLiteral("tok_embeddings, layers.[1-4], norm, lm_head, 7 modules");
        QCOMPARE(name->text(), whole);
        QVERIFY2(name->toolTip().contains("layers.[1-4]\nnorm"), qPrintable(name->toolTip()));
        bool shortened = false;
        for (int width = 430; width < 1200; width += 20) {
            controls.resize(width, 30);
            runAllDue();
            QVERIFY2(name->isVisible() && name->text().endsWith("7 modules"), qPrintable(name->text()));
            QVERIFY(name->width() >= name->sizeHint().width());
            shortened = shortened || name->text() != whole;
        }
        QVERIFY(shortened);
        // Few are named one by one where there is room, else as a range.
        document_->selection().selectModules({"layers.1", "layers.2", "layers.3"});
        controls.resize(1200, 30);
        runAllDue();
        QCOMPARE(name->text(), QStringLiteral("layers.1, layers.2, layers.3, 3 modules"));
        bool as_range = false;
        for (int width = 430; width < 1200; width += 20) {
            controls.resize(width, 30);
            runAllDue();
            as_range = as_range || name->text() == u"layers.[1-3], 3 modules";
        }
        QVERIFY(as_range);
        BucketCommands(*document_).putIntoNew({"layers.1", "layers.2"});
        document_->selection().selectBucket(0);
        QCOMPARE(name->text(), QStringLiteral("bucket layers.1 + layers.2, 2 modules"));
        bool without_kind = false;
        for (int width = 300; width <= 1200; width += 10) {
            controls.resize(width, 30);
            runAllDue();
            without_kind = without_kind || (name->isVisible() && name->text().startsWith("layers.1"));
            QVERIFY2(!name->text().startsWith("bucket…"), qPrintable(name->text()));
        }
        QVERIFY2(without_kind, "the word goes before the name");
        BucketCommands(*document_).rename(0, QStringLiteral("<b>all"));
        QCOMPARE(QTextDocumentFragment::fromHtml(name->text()).toPlainText(),
                 QStringLiteral("bucket <b>all, 2 modules"));
        document_->selection().clear();
        QVERIFY(!name->isVisible());
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::GraphBoxesTest)
#include "graph_boxes_test.moc"
