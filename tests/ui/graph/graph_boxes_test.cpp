#include <QFontMetricsF>
#include <QLabel>
#include <QLineEdit>
#include <set>
#include <vector>

#include "tests/ui/ui_test_support.h"
#include "ui/edits/pipeline_commands.h"
#include "ui/graph/edge_labels.h"
#include "ui/graph/graph_controls.h"
#include "ui/graph/graph_metrics.h"
#include "ui/graph/graph_painter.h"
#include "ui/graph/graph_view.h"
#include "ui/theme/theme.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {

/// What boxes of the graph and the controls above them show.
class GraphBoxesTest : public QObject {
    Q_OBJECT

  private slots:
    void init() {
        document_ = openDocument();
        QVERIFY(waitForEvaluation(*document_));
        model_ = std::make_unique<GraphModel>(*document_);
    }
    void cleanup() {
        model_.reset();
        document_.reset();
    }

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

    void aPathIsWholeOrNotShown() {
        GraphView view(*model_);
        GraphControls controls(view);
        controls.show();
        QVERIFY(QTest::qWaitForWindowExposed(&controls));
        const BoxId box = model_->arrangement().boxes.back().box;
        view.select(box);
        const auto* path = controls.findChild<QLabel*>();
        QVERIFY(path->text().contains(model_->texts().title(box)));
        const auto* search = controls.findChild<QLineEdit*>();
        bool shown = false, hidden = false;
        for (int width = 400; width < 1000; width += 20) {
            controls.resize(width, 30);
            runAllDue();
            path->isVisible() ? shown = true : hidden = true;
            QVERIFY2(!path->isVisible() || path->width() >= path->sizeHint().width(),
                     qPrintable(QString::number(width)));
            QVERIFY(search->width() >= 60);
        }
        QVERIFY(shown && hidden);
    }

  private:
    std::unique_ptr<Document> document_;
    std::unique_ptr<GraphModel> model_;
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::GraphBoxesTest)
#include "graph_boxes_test.moc"
