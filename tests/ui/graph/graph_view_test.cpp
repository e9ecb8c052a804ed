#include "ui/graph/graph_view.h"

#include <QAccessible>
#include <QFileDialog>
#include <QFileInfo>
#include <QLineEdit>
#include <QMenu>
#include <QSignalSpy>
#include <cmath>

#include "core/views/bucket_hues.h"
#include "tests/ui/graph/shown_graph.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/edits/pipeline_commands.h"
#include "ui/graph/edge_labels.h"
#include "ui/graph/graph_controls.h"
#include "ui/graph/graph_export.h"
#include "ui/graph/graph_painter.h"
#include "ui/graph/overview_labels.h"
#include "ui/theme/theme.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {

/// The graph as a person works with it: names, colours, search, pictures, screen reader, on a small real graph.
class GraphViewTest : public ShownGraph {
    Q_OBJECT

  private slots:
    void init() { open(); }
    void cleanup() { close(); }

    /// Also where no name is typed, which the dialog takes as the folder.
    void aPictureHasANameWhateverIsTyped() {
        view_->nameFilesAfter([] { return QString(); });
        view_->exportPicture();
        auto* dialog = view_->findChild<QFileDialog*>();
        QVERIFY(dialog);
        const auto suggested = [&] { return QFileInfo(dialog->selectedFiles().value(0)).fileName(); };
        QCOMPARE(suggested(), "graph.png");
        auto* name = dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
        QVERIFY(name);
        name->clear();
        emit dialog->filterSelected(dialog->nameFilters().at(1));
        QCOMPARE(suggested(), "graph.svg");
    }

    void opensCollapsedAndLegible() {
        for (const PlacedBox& placed : model_->arrangement().boxes) QVERIFY(!placed.open);
        QVERIFY(view_->scale() >= 0.85);
        QVERIFY(!view_->boxRect(box("layers.0")).isEmpty());
        QVERIFY(view_->boxRect(box("layers.0.attention")).isEmpty());
    }

    void namesStayWhereBoxesAreTooSmallForThem() {
        view_->toggle(box("layers.0"));
        const QRectF all(0, 0, model_->arrangement().size.width, model_->arrangement().size.height);
        for (const double scale : {0.3, 0.1, 0.02}) {
            const QTransform to_view = QTransform::fromScale(scale, scale);
            const QRectF shown = to_view.mapRect(all);
            const std::vector<OverviewLabel> labels = overviewLabels(*model_, to_view, shown);
            QVERIFY2(!labels.empty(), qPrintable(QString::number(scale)));
            for (std::size_t i = 0; i < labels.size(); ++i)
                for (std::size_t j = 0; j < i; ++j) QVERIFY(!labels[i].room.intersects(labels[j].room));
            // At a scale at which boxes are as wide as a few letters, no name is taken for another box's.
            if (scale == 0.3)
                for (const OverviewLabel& label : labels) {
                    const QRectF rect = to_view.mapRect(toQt(model_->arrangement().find(label.box)->rect));
                    QVERIFY2(label.room.left() >= rect.left() && label.room.right() <= rect.right(),
                             qPrintable(label.text));
                }
            // What lies in no other box comes before what does.
            const auto depth = [&](const OverviewLabel& label) { return model_->arrangement().find(label.box)->depth; };
            QVERIFY(std::ranges::is_sorted(labels, {}, depth));
        }
        const std::vector<OverviewLabel> far =
            overviewLabels(*model_, QTransform::fromScale(0.1, 0.1), QRectF(-5000, -5000, 10, 10));
        QVERIFY(far.empty());
    }

    void aClickSelectsForAllViewsAndATriangleOpens() {
        const QRectF rect = view_->boxRect(box("norm"));
        click(rect.center());
        QCOMPARE(document_->selection().module(), "norm");
        QCOMPARE(view_->current(), box("norm"));
        QVERIFY(!model_->isOpen(box("norm")));
        click(rect.topLeft() + QPointF(14, 24) * view_->scale());
        QVERIFY(model_->isOpen(box("norm")));
    }

    void searchingDimsTheRestAndStepsThroughMatches() {
        model_->setSearch("attention_norm");
        QVERIFY(model_->filter().active());
        QVERIFY(!model_->filter().dimmed(box("layers.0")));  // it holds one
        QVERIFY(!model_->filter().dimmed(box("layers.0.attention_norm")));
        QVERIFY(model_->filter().dimmed(box("layers.0.feed_forward")));
        QVERIFY(model_->filter().dimmed(box("tok_embeddings")));
        view_->stepMatch(1);
        QCOMPARE(view_->current(), box("layers.0.attention_norm"));
        QVERIFY(!view_->boxRect(view_->current()).isEmpty());
        view_->stepMatch(1);
        QVERIFY(view_->current() != box("layers.0.attention_norm"));
        QSignalSpy told(view_.get(), &GraphView::told);
        model_->setSearch("no such thing");
        view_->stepMatch(1);
        QVERIFY(told.takeLast()[0].toString().contains("no such thing"));
        model_->setSearch({});
        QVERIFY(!model_->filter().active());
    }

    /// What the status bar says of a match ends with the search; what it says of other things does not.
    void theNumberOfAMatchEndsWithTheSearch() {
        GraphControls controls(*view_);
        controls.show();
        QSignalSpy told(view_.get(), &GraphView::told);
        controls.searchField()->setText(QStringLiteral("attention_norm"));
        QCOMPARE(told.count(), 0);
        QTest::keyClick(controls.searchField(), Qt::Key_Return);
        QVERIFY(told.takeLast()[0].toString().startsWith(QStringLiteral("Match 1 of ")));
        QTest::keyClick(controls.searchField(), Qt::Key_Escape);
        QCOMPARE(told.takeLast()[0].toString(), QString());
        controls.searchField()->setText(QStringLiteral("norm"));
        QTest::keyClick(controls.searchField(), Qt::Key_Escape);
        QCOMPARE(told.count(), 0);
    }

    void filtersDim() {
        model_->setSubset(BoxSubset::backward);
        QVERIFY(model_->filter().dimmed(box("layers.0")));
        QVERIFY(!model_->filter().dimmed(box("layers.0", Phase::backward)));
        BucketCommands(*document_).addText("layers.0");
        model_->setSubset(BoxSubset::outsideBuckets);
        QVERIFY(model_->filter().dimmed(box("layers.0")));
        QVERIFY(!model_->filter().dimmed(box("norm")));
    }

    void bucketsColourTheirModules() {
        BucketCommands(*document_).addText("layers.0+layers.1\nnorm");
        const Theme& theme = darkTheme();
        const auto stripe = [&](const char* module) {
            const auto parts = model_->colours().stripe(box(module), BoxColouring::bucket, theme);
            return parts.isEmpty() ? QColor() : parts.front().colour;
        };
        const std::vector<std::uint32_t> hues = bucket_hues(document_->modules(), document_->buckets());
        QCOMPARE(stripe("layers.0"), theme.bucket(hues[0]));
        QCOMPARE(stripe("layers.0.attention"), theme.bucket(hues[0]));
        QCOMPARE(stripe("norm"), theme.bucket(hues[1]));
        QVERIFY(!stripe("tok_embeddings").isValid());
        PipelineCommands(*document_).setEnabled(0, false);  // then no step takes them
        QVERIFY(!stripe("layers.0").isValid());
        document_->undoGroup().undo();
        QCOMPARE(stripe("norm"), theme.bucket(hues[1]));
        BucketCommands(*document_).remove({0});
        QCOMPARE(stripe("norm"), theme.bucket(hues[1]));
        document_->undoGroup().undo();
        for (const BoxColouring colouring : boxColourings()) {
            model_->setColouring(colouring);
            QCOMPARE(model_->colours().legend(colouring, theme).isEmpty(), colouring == BoxColouring::bucket);
        }
    }

    /// In a low view it covers no box.
    void theLegendGivesWayInALowView() {
        model_->setColouring(BoxColouring::kind);
        QVERIFY(!view_->legendRect().isEmpty());
        view_->resize(390, 150);
        view_->fitAll();
        for (int width = 200; width <= 1000; width += 100) {
            view_->resize(width, 150);
            runAllDue();
            const QRectF legend = view_->legendRect();
            for (const PlacedBox& placed : model_->arrangement().boxes)
                if (!model_->isOpen(placed.box) && placed.box != BoxTree::root)
                    QVERIFY(legend.isEmpty() || !view_->boxRect(placed.box).intersects(legend));
        }
        view_->resize(390, 150);
        view_->select(box("layers.0"));
        runAllDue();
        QVERIFY(view_->legendRect().isEmpty());
    }

    void aPileIsColouredAsFarAsItIsInBuckets() {
        const BoxId pile = model_->tree().box(box("layers.2")).parent;
        QCOMPARE(model_->tree().box(pile).kind, BoxKind::run);
        const double one = 1.0 / model_->tree().box(pile).child_count;
        const auto shares = [&] {
            QList<double> found;
            for (const auto& part : model_->colours().stripe(pile, BoxColouring::bucket, currentTheme()))
                found.append(std::round(part.share / one * 1000) / 1000);
            return found;
        };
        const auto pixel = [&](double down) {  // of the stripe, from 0 to 1
            const QRectF rect = view_->boxRect(pile);
            const double y = rect.top() + rect.height() * down;
            return view_->grab().toImage().pixelColor(QPointF(rect.left() + 2 * view_->scale(), y).toPoint());
        };
        BucketCommands(*document_).addText("layers.2");
        QCOMPARE(shares(), QList<double>{1});
        QCOMPARE(pixel(0.15), currentTheme().bucket(bucket_hues(document_->modules(), document_->buckets())[0]));
        QCOMPARE(pixel(0.6), currentTheme().line);
        BucketCommands(*document_).addText("layers.3+layers.4");
        QCOMPARE(shares(), (QList<double>{1, 2}));
        BucketCommands(*document_).addText("layers");
        double sum = 0;
        for (const double share : shares()) sum += share;
        QCOMPARE(sum * one, 1.0);
    }

    void theMenuPutsModulesIntoBuckets() {
        std::unique_ptr<QMenu> menu(view_->makeMenu(box("norm")));
        QAction* put = nullptr;
        for (QAction* action : menu->actions())
            if (action->menu()) put = action->menu()->actions().front();
        QVERIFY(put);
        put->trigger();
        QCOMPARE(document_->buckets().size(), 1u);
        QCOMPARE(document_->buckets()[0].modules, std::vector<std::string>{"norm"});
    }

    void identicalLayersOpenTogether() {
        const BoxId layer = box("layers.1");
        model_->reveal(layer);
        model_->setIdenticalOpen(layer, true);
        int open = 0;
        for (BoxId other = 1; other < model_->tree().box_count(); ++other)
            if (model_->tree().box(other).structure == model_->tree().box(layer).structure &&
                model_->tree().box(other).kind == BoxKind::module)
                open += model_->isOpen(other) ? 1 : 0;
        QVERIFY(open > 2);
    }

    void labelsStandClearOfBoxesAndEachOther() {
        view_->toggle(box("layers.0"));
        const Arrangement& arrangement = model_->arrangement();
        const QRectF everything(0, 0, arrangement.size.width, arrangement.size.height);
        std::vector<QRectF> rooms;
        for (const PlacedLevel& level : arrangement.levels) {
            for (const EdgeLabel& label : edgeLabels(*model_, level, everything)) {
                QVERIFY(!label.text.isEmpty());
                for (std::uint32_t i = level.first_box; i < level.first_box + level.box_count; ++i)
                    QVERIFY(!toQt(arrangement.boxes[i].rect).contains(label.room.center()));
                for (const QRectF& other : rooms) QVERIFY(!other.intersects(label.room));
                rooms.push_back(label.room);
            }
        }
        QVERIFY(rooms.size() > 4);
    }

    void flowsOfTheSelectionPassBehindBoxes() {
        view_->select(box("layers.1"));
        const Arrangement& arrangement = model_->arrangement();
        const QRectF everything(0, 0, arrangement.size.width, arrangement.size.height);
        QImage image(everything.toAlignedRect().size(), QImage::Format_ARGB32_Premultiplied);
        image.fill(Qt::transparent);
        QPainter painter(&image);
        GraphPainter(*model_, currentTheme(), 1).paintSelection(painter, everything, no_box, view_->current(), false);
        painter.end();
        const auto painted = [&](const QRect& area) {
            for (int y = area.top(); y <= area.bottom(); ++y)
                for (int x = area.left(); x <= area.right(); ++x)
                    if (qAlpha(image.pixel(x, y)) > 0) return true;
            return false;
        };
        const QRect selected = toQt(arrangement.find(view_->current())->rect).toAlignedRect();
        QVERIFY(painted(QRect(0, 0, image.width(), selected.top() - 4)));  // there are flows from elsewhere
        for (const PlacedBox& placed : arrangement.boxes)
            if (!placed.open && placed.box != view_->current())
                QVERIFY2(!painted(toQt(placed.rect).toAlignedRect().adjusted(3, 3, -3, -3)),
                         qPrintable(model_->texts().title(placed.box)));
    }

    void hoveringPaintsNoBoxAgain() {
        view_->repaint();
        const int before = view_->renderCount();
        for (int x = 100; x < 600; x += 50) {
            QTest::mouseMove(view_.get(), {x, 200});
            view_->repaint();
        }
        QCOMPARE(view_->renderCount(), before);
    }

    void picturesAreWrittenWholeOrTold() {
        QTemporaryDir folder;
        QCOMPARE(writeGraphPicture(*model_, folder.filePath("graph.png")), QString());
        QVERIFY(QImage(folder.filePath("graph.png")).width() > 500);
        QCOMPARE(writeGraphPicture(*model_, folder.filePath("graph.svg")), QString());
        QFile svg(folder.filePath("graph.svg"));
        QVERIFY(svg.open(QIODevice::ReadOnly));
        const QByteArray text = svg.readAll();
        QVERIFY(text.contains("<svg") && text.contains("layers.0"));
        QVERIFY(!writeGraphPicture(*model_, folder.filePath("missing/graph.png")).isEmpty());
    }

    void screenReadersSeeTheBoxes() {
        QAccessibleInterface* graph = QAccessible::queryAccessibleInterface(view_.get());
        QVERIFY(graph);
        QCOMPARE(graph->text(QAccessible::Name), "Graph");
        QCOMPARE(graph->childCount(), static_cast<int>(model_->tree().box(BoxTree::root).child_count));
        QAccessibleInterface* layer = nullptr;
        for (int i = 0; i < graph->childCount(); ++i) {
            QVERIFY(!graph->child(i)->text(QAccessible::Name).isEmpty());
            QCOMPARE(graph->indexOfChild(graph->child(i)), i);
            if (graph->child(i)->text(QAccessible::Name).startsWith("layers.0,")) layer = graph->child(i);
        }
        QVERIFY(layer);
        QVERIFY(layer->text(QAccessible::Name).endsWith("closed"));
        QVERIFY(layer->state().collapsed);
        QCOMPARE(layer->childCount(), 0);
        layer->actionInterface()->doAction(QAccessibleActionInterface::toggleAction());
        QVERIFY(model_->isOpen(box("layers.0")));
        QVERIFY(layer->state().expanded && layer->childCount() > 2);
        QCOMPARE(layer->child(0)->parent(), layer);
        layer->actionInterface()->doAction(QAccessibleActionInterface::setFocusAction());
        QCOMPARE(document_->selection().module(), "layers.0");
        QVERIFY(layer->state().selected);
        QCOMPARE(graph->focusChild(), layer);
    }

    void theSessionBringsBackWhatWasOpen() {
        view_->toggle(box("layers.0"));
        view_->zoomBy(1.5, {50, 60});
        model_->setColouring(BoxColouring::kind);
        const QJsonObject kept = view_->state();

        auto document = std::make_unique<Document>();
        GraphModel model(*document);
        GraphView view(model);
        view.resize(1000, 700);
        view.restore(kept);
        document->setGraph(loadGraph(smallGraphFile()));
        QCOMPARE(model.openKeys(), model_->openKeys());
        QCOMPARE(view.scale(), view_->scale());
        QCOMPARE(model.colouring(), BoxColouring::kind);
    }

    void anotherGraphStartsAnew() {
        view_->select(box("layers.0"));
        view_->toggle(box("layers.0"));
        document_->setGraph(
            loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_8b_fsdp64_aot_bw.graph.json.gz")));
        QCOMPARE(view_->current(), no_box);
        view_->repaint();
        QVERIFY(!model_->arrangement().boxes.empty());
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::GraphViewTest)
#include "graph_view_test.moc"
