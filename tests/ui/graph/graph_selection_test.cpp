#include <QAccessible>
#include <QMenu>
#include <QPainter>
#include <QSignalSpy>

#include "tests/ui/graph/shown_graph.h"
#include "ui/edits/bucket_commands.h"
#include "ui/graph/graph_painter.h"
#include "ui/plan/drag_picture.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {

/// What is selected in the graph, and what of other views is selected there.
class GraphSelectionTest : public ShownGraph {
    Q_OBJECT

  private slots:
    void init() { open(); }
    void cleanup() { close(); }

    /// A pile stands for its modules, which are selected together.
    void aClickOnAPileSelectsItsModules() {
        const BoxId pile = model_->tree().box(box("layers.2")).parent;
        QCOMPARE(model_->tree().box(pile).kind, BoxKind::run);
        const QStringList modules = model_->texts().modules(pile);
        QVERIFY(modules.size() > 2);
        click(view_->boxRect(pile).center());
        QCOMPARE(document_->selection().kind(), Selection::Kind::modules);
        QCOMPARE(document_->selection().modules(), modules);
        QCOMPARE(view_->current(), pile);
        const BoxId backward = model_->tree().box(box("layers.2", Phase::backward)).parent;
        QVERIFY(model_->isSelected(pile) && model_->isSelected(backward));
        QVERIFY(!model_->isSelected(box("layers.0")));
        view_->focusSelection();
        QVERIFY2(!model_->isOpen(pile), "to show what is selected opens no pile");
        // The same from another view; a part of it lies in the pile.
        document_->selection().clear();
        document_->selection().selectModules(modules);
        QVERIFY(model_->isSelected(pile));
        QCOMPARE(view_->current(), pile);
        document_->selection().selectModules({"layers.2", "norm"});
        QVERIFY(model_->isSelected(pile) && model_->isSelected(box("norm")));
    }

    /// As a box with three states: a pile of which a part is selected is not marked as if all of it were.
    void aPileOfWhichAPartIsSelectedSaysSo() {
        const BoxId pile = model_->tree().box(box("layers.2")).parent;
        const QStringList modules = model_->texts().modules(pile);
        QVERIFY(modules.size() > 3);
        const auto borderPixels = [&] {
            const QImage picture = view_->grab().toImage();
            const QRectF rect = view_->boxRect(pile);
            int marked = 0;
            for (int x = qRound(rect.left()) + 10; x < qRound(rect.right()) - 10; ++x)
                for (int y = qRound(rect.top()) - 1; y <= qRound(rect.top()) + 1; ++y) {
                    const QColor colour = picture.pixelColor(x, y);
                    const QColor accent = currentTheme().accent;
                    const int distance = std::abs(colour.red() - accent.red()) +
                                         std::abs(colour.green() - accent.green()) +
                                         std::abs(colour.blue() - accent.blue());
                    if (distance < 90) ++marked;
                }
            return marked;
        };
        QAccessibleInterface* view = QAccessible::queryAccessibleInterface(view_.get());
        const auto spoken = [&]() -> QAccessibleInterface* {
            for (int i = 0; i < view->childCount(); ++i)
                if (view->child(i)->text(QAccessible::Name).startsWith(model_->texts().title(pile)))
                    return view->child(i);
            return nullptr;
        };
        QVERIFY(spoken());
        document_->selection().selectModules(modules);
        QVERIFY(model_->isSelected(pile) && !model_->isPartlySelected(pile));
        QVERIFY(model_->partlySelected(pile).isEmpty());
        QVERIFY(spoken()->state().selected);
        const int whole = borderPixels();
        QVERIFY(whole > 50);

        document_->selection().selectModules({modules[0], modules[1]});
        const QString said = QStringLiteral("2 of %1 selected").arg(modules.size());
        QVERIFY(model_->isSelected(pile) && model_->isPartlySelected(pile));
        QCOMPARE(model_->partlySelected(pile), said);
        QVERIFY(model_->texts().figures(pile, said).startsWith(said));
        QVERIFY2(model_->partlySelectedNames(pile).contains(modules[1]), qPrintable(model_->partlySelectedNames(pile)));
        QVERIFY2(spoken()->text(QAccessible::Name).contains(said), qPrintable(spoken()->text(QAccessible::Name)));
        QVERIFY(!spoken()->state().selected);
        const int part = borderPixels();
        QVERIFY2(part > whole / 4 && part < whole * 4 / 5, qPrintable(QStringLiteral("%1 %2").arg(part).arg(whole)));

        // All but one module of a card, and all of them.
        BucketCommands(*document_).putIntoNew(modules.mid(1));
        document_->selection().selectBucket(0);
        QCOMPARE(model_->selectedOf(pile), static_cast<std::uint32_t>(modules.size() - 1));
        BucketCommands(*document_).put(modules, 0);
        QVERIFY(model_->isSelected(pile) && !model_->isPartlySelected(pile));

        // A module around what is selected, and a pile around that.
        document_->selection().selectModule(modules[0] + QStringLiteral(".attention"));
        QVERIFY(model_->isPartlySelected(pile));
        QCOMPARE(model_->selectedOf(pile), 0u);
        QVERIFY(!model_->partlySelected(pile).isEmpty());
        view_->toggle(pile);
        QVERIFY(!model_->isSelected(pile) && model_->isPartlySelected(box(qPrintable(modules[0]))));
    }

    /// Twice as many pixels either way make it four times as many.
    void theMarkIsAsWideOnAScreenOfSmallPixels() {
        document_->selection().selectModule("norm");
        const auto marked = [&](double pixel_ratio) {
            QImage picture((QSizeF(view_->size()) * pixel_ratio).toSize(), QImage::Format_RGB32);
            picture.setDevicePixelRatio(pixel_ratio);
            picture.fill(currentTheme().background);
            QPainter painter(&picture);
            painter.scale(view_->scale(), view_->scale());
            painter.translate(-view_->toPlane({0, 0}));
            GraphPainter(*model_, currentTheme(), view_->scale())
                .paintSelection(painter, QRectF(-1e6, -1e6, 2e6, 2e6), no_box, no_box, false);
            int count = 0;
            for (int x = 0; x < picture.width(); ++x)
                for (int y = 0; y < picture.height(); ++y)
                    if (picture.pixelColor(x, y) != currentTheme().background) ++count;
            return count;
        };
        const int usual = marked(1), small = marked(2);
        QVERIFY(usual > 100);
        QVERIFY2(small > 3 * usual && small < 5 * usual, qPrintable(QStringLiteral("%1 %2").arg(usual).arg(small)));
    }

    void modulesAreAddedByClicks() {
        click(view_->boxRect(box("norm")).center());
        click(view_->boxRect(box("layers.0")).center(), Qt::ControlModifier);
        QCOMPARE(document_->selection().modules(), (QStringList{"norm", "layers.0"}));
        QVERIFY(model_->isSelected(box("norm")) && model_->isSelected(box("layers.0")));
        // A menu and a drag are of all, unless they begin at another box.
        const std::unique_ptr<QMenu> menu(view_->makeMenu(box("norm")));
        const auto* put = menu->findChild<QMenu*>();
        QVERIFY(put);
        QCOMPARE(put->title(), QStringLiteral("Put 2 modules into bucket"));
        QCOMPARE(put->actions().at(1)->text(), QStringLiteral("A new bucket each"));
        QCOMPARE(model_->modulesWith(box("lm_head")), QStringList("lm_head"));
        put->actions().at(1)->trigger();
        QCOMPARE(document_->buckets().size(), 2u);
        QCOMPARE(document_->buckets()[0].modules, std::vector<std::string>{"norm"});
        QCOMPARE(document_->buckets()[1].modules, std::vector<std::string>{"layers.0"});
        document_->current()->undoStack().undo();
        QVERIFY(document_->buckets().empty());
        // Once more takes it out; beside all boxes nothing changes.
        click(view_->boxRect(box("norm")).center(), Qt::ControlModifier);
        QCOMPARE(document_->selection().module(), "layers.0");
        QSignalSpy told(view_.get(), &GraphView::told);
        click({1, 1}, Qt::ControlModifier);
        QCOMPARE(document_->selection().module(), "layers.0");
        // Up to a box in order of execution, from the one that was clicked last.
        click(view_->boxRect(box("layers.0")).center());
        const BoxId pile = model_->tree().box(box("layers.2")).parent;
        click(view_->boxRect(pile).center(), Qt::ShiftModifier);
        QCOMPARE(document_->selection().modules(), QStringList("layers.0") + model_->texts().modules(pile));
        click(view_->boxRect(box("norm")).center());
        QCOMPARE(document_->selection().module(), "norm");
        QCOMPARE(told.count(), 0);
    }

    /// What is taken out is marked no more, and keys do not start from it.
    void theLastModuleIsTakenOutByAClick() {
        const QPointF norm = view_->boxRect(box("norm")).center();
        click(norm);
        click(norm, Qt::ControlModifier);
        QCOMPARE(document_->selection().kind(), Selection::Kind::nothing);
        QVERIFY(!model_->isSelected(box("norm")));
        QVERIFY(model_->selectedBoxes().empty());
        QCOMPARE(view_->current(), no_box);
        click(norm, Qt::ControlModifier);
        QCOMPARE(document_->selection().module(), "norm");
        click(view_->boxRect(box("layers.0")).center(), Qt::ControlModifier);
        QCOMPARE(view_->current(), box("layers.0"));
        click(view_->boxRect(box("layers.0")).center(), Qt::ControlModifier);
        QCOMPARE(view_->current(), box("norm"));
    }

    /// A menu and a drag of the pile are about what is selected; Ctrl, Shift and the band make it whole.
    void aPileOfWhichAPartIsSelectedIsDraggedInPart() {
        const BoxId pile = model_->tree().box(box("layers.2")).parent;
        const QStringList modules = model_->texts().modules(pile);
        const QStringList part{modules[1], modules[2], QStringLiteral("norm")};
        document_->selection().selectModules(part);
        QCOMPARE(model_->modulesWith(pile), part);
        QCOMPARE(model_->modulesWith(box("norm")), part);
        QCOMPARE(model_->modulesWith(box("lm_head")), QStringList("lm_head"));
        QVERIFY(model_->partlySelectedNames(pile).contains("A drag takes what is selected"));
        const std::unique_ptr<QMenu> menu(view_->makeMenu(pile));
        const auto* put = menu->findChild<QMenu*>();
        QVERIFY(put);
        QCOMPARE(put->title(), QStringLiteral("Put 3 modules into bucket"));
        put->actions().at(0)->trigger();
        QCOMPARE(document_->buckets().front().modules.size(), 3u);
        // The card's modules are selected as they are.
        document_->selection().selectBucket(0);
        QCOMPARE(model_->modulesWith(pile), part);
        const QPointF middle = view_->boxRect(pile).center();
        click(view_->boxRect(box("lm_head")).center(), Qt::ControlModifier);
        QCOMPARE(document_->selection().modules(), part + QStringList("lm_head"));

        const auto isWhole = [&] {
            return model_->isSelected(pile) && !model_->isPartlySelected(pile) && model_->isSelected(box("norm"));
        };
        click(middle, Qt::ControlModifier);
        QVERIFY(isWhole());
        click(middle, Qt::ControlModifier);
        QVERIFY(!model_->isSelected(pile) && model_->isSelected(box("norm")));
        document_->selection().selectModules(part);
        click(middle, Qt::ShiftModifier);
        QVERIFY(isWhole());
        document_->selection().selectModules(part);
        QTest::mousePress(view_.get(), Qt::LeftButton, Qt::ShiftModifier, (middle + QPointF(30, 5)).toPoint());
        QTest::mouseMove(view_.get(), (middle + QPointF(60, 8)).toPoint());
        QTest::mouseMove(view_.get(), (middle + QPointF(70, 9)).toPoint());
        QTest::mouseRelease(view_.get(), Qt::LeftButton, Qt::ShiftModifier, (middle + QPointF(70, 9)).toPoint());
        QVERIFY(isWhole());
        // A part of a module is no module of the pile.
        document_->selection().selectModule(modules[0] + QStringLiteral(".attention"));
        QCOMPARE(model_->modulesWith(pile), modules);
    }

    void whatIsDraggedIsNamed() {
        QCOMPARE(dragLabel({"norm"}), QStringLiteral("norm"));
        QCOMPARE(dragLabel({"layers.1", "layers.2", "layers.3", "layers.4", "norm"}),
                 QStringLiteral("layers.[1-4], norm, 5 modules"));
    }

    /// The keys that count are those that are held when a box is pressed, as for a drag.
    void aModuleInsideASelectedOneIsToldToBeSelected() {
        view_->toggle(box("layers.0"));
        view_->select(box("layers.0"));
        const QPoint inside = view_->boxRect(box("layers.0.attention")).center().toPoint();
        QSignalSpy told(view_.get(), &GraphView::told);
        for (const Qt::KeyboardModifier key : {Qt::ControlModifier, Qt::ShiftModifier}) {
            told.clear();
            QTest::mousePress(view_.get(), Qt::LeftButton, key, inside);
            QTest::mouseRelease(view_.get(), Qt::LeftButton, {}, inside);
            QCOMPARE(told.count(), 1);
            QVERIFY2(told.front().front().toString().endsWith(" is selected with the module around it"),
                     qPrintable(told.front().front().toString()));
            QCOMPARE(document_->selection().module(), "layers.0");
            QCOMPARE(view_->current(), box("layers.0"));
        }
        QTest::mousePress(view_.get(), Qt::LeftButton, {}, inside);
        QTest::mouseRelease(view_.get(), Qt::LeftButton, Qt::ControlModifier, inside);
        QCOMPARE(document_->selection().module(), "layers.0.attention");
    }

    void theMenuOfSeveralModulesFocusesOneAndKeepsAll() {
        const QStringList both{"norm", "layers.0"};
        document_->selection().selectModules(both);
        for (const char* module : {"norm", "layers.0"}) {
            const std::unique_ptr<QMenu> menu(view_->makeMenu(box(module)));
            const auto actions = menu->actions();
            const auto focus = std::ranges::find(actions, QStringLiteral("Focus"), &QAction::text);
            QVERIFY(focus != actions.end());
            (*focus)->trigger();
            QCOMPARE(document_->selection().modules(), both);
            QCOMPARE(view_->current(), box(module));
        }
        const std::unique_ptr<QMenu> other(view_->makeMenu(box("tok_embeddings")));
        const auto actions = other->actions();
        (*std::ranges::find(actions, QStringLiteral("Focus"), &QAction::text))->trigger();
        QCOMPARE(document_->selection().module(), "tok_embeddings");
    }

    void whatIsMarkedIsSelected() {
        view_->fitAll();
        const QRectF first = view_->boxRect(box("layers.0")), last = view_->boxRect(box("norm"));
        const QPoint from = (first.united(last).topLeft() - QPointF(3, 3)).toPoint();
        const QPoint to = (first.united(last).bottomRight() + QPointF(3, 3)).toPoint();
        const auto mark = [&](QPoint begin, QPoint end) {
            QTest::mousePress(view_.get(), Qt::LeftButton, Qt::ShiftModifier, begin);
            QTest::mouseMove(view_.get(), (begin + end) / 2);
            QTest::mouseMove(view_.get(), end);
            QTest::mouseRelease(view_.get(), Qt::LeftButton, Qt::ShiftModifier, end);
        };
        const double scale = view_->scale();
        mark(from, to);
        QCOMPARE(view_->scale(), scale);
        const QStringList& modules = document_->selection().modules();
        QVERIFY2(modules.contains("layers.0") && modules.contains("layers.3") && modules.contains("norm"),
                 qPrintable(modules.join(u' ')));
        QVERIFY(!modules.contains("layers.0.attention"));
        QSignalSpy told(view_.get(), &GraphView::told);
        const QStringList before = modules;
        mark({1, 1}, {12, 12});
        QCOMPARE(document_->selection().modules(), before);
        QCOMPARE(told.count(), 1);
    }

    void theSelectionOfOtherViewsIsShownHere() {
        document_->selection().selectModule("layers.0.attention");
        // Closed around it for now: the layer is marked.
        QCOMPARE(view_->current(), box("layers.0"));
        QVERIFY(model_->isSelected(box("layers.0")));
        view_->focusSelection();
        QCOMPARE(view_->current(), box("layers.0.attention"));
        QVERIFY(QRectF(view_->rect()).contains(view_->boxRect(box("layers.0.attention")).center()));
        const NodeId node = document_->graph()->find("mm");
        QVERIFY(node != no_node);
        document_->selection().selectNode("mm");
        QVERIFY(model_->isSelected(model_->arrangement().shown(model_->tree(), model_->tree().operation_of(node))));
    }

    /// Of a collective that a plan has merged, what it was made of lies in these boxes.
    void aMergedCollectiveIsShownWhereItComesFrom() {
        BucketCommands(*document_).putIntoNew({"layers.0", "norm"});
        QVERIFY(waitForEvaluation(*document_));
        const Evaluation& evaluation = *document_->evaluation();
        const auto merged =
            std::ranges::find_if(evaluation.simulation.collectives, [&](const CollectiveTiming& timing) {
                return evaluation.bucket_of_node[timing.start] == 0 && evaluation.origin[timing.start] == no_node;
            });
        QVERIFY(merged != evaluation.simulation.collectives.end());
        document_->selection().selectNode(fromCore(evaluation.graph->name(merged->start)));
        QVERIFY(model_->selectedBoxes().size() > 1);
        for (const char* module : {"layers.0", "norm"})
            QVERIFY2(model_->isPartlySelected(box(module)) || model_->isPartlySelected(box(module, Phase::backward)),
                     module);
        QVERIFY(!model_->isSelected(box("lm_head")));
        document_->selection().clear();
        QVERIFY(model_->selectedBoxes().empty());
    }

    /// Of a module and of a pile: once the bucket is gone, no box is chosen, and the view is at none.
    void aSelectedBucketThatGoesIsSelectedNoMore() {
        const BoxId pile = model_->tree().box(box("layers.2")).parent;
        for (const QStringList& modules : {QStringList("norm"), model_->texts().modules(pile)}) {
            const BoxId shown = modules.size() == 1 ? box("norm") : pile;
            BucketCommands(*document_).putIntoNew(modules);
            document_->selection().selectBucket(0);
            QVERIFY(model_->isSelected(shown));
            QVERIFY(view_->current() != no_box);
            const auto is_gone = [&] {
                return document_->selection().kind() == Selection::Kind::nothing && model_->selectedBoxes().empty() &&
                       !model_->isSelected(shown) && view_->current() == no_box;
            };
            document_->current()->undoStack().undo();
            QVERIFY(is_gone());
            document_->current()->undoStack().redo();
            QVERIFY2(model_->isSelected(shown), "it is back");
            BucketCommands(*document_).remove({0});
            QVERIFY(is_gone());
        }
    }

    void theSelectedBucketIsShownWithTheModulesThatItHas() {
        BucketCommands(*document_).addText("layers.0\nnorm");
        document_->selection().selectBucket(1);
        QVERIFY(model_->isSelected(box("norm")) && !model_->isSelected(box("lm_head")));
        BucketCommands(*document_).put({"lm_head"}, 1);
        QVERIFY(model_->isSelected(box("norm")) && model_->isSelected(box("lm_head")));
        // One before it is removed: it is the same one, at another place.
        BucketCommands(*document_).remove({0});
        QCOMPARE(document_->selection().bucket(), 0);
        QVERIFY(model_->isSelected(box("norm")) && !model_->isSelected(box("layers.0")));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::GraphSelectionTest)
#include "graph_selection_test.moc"
