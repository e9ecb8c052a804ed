#include "ui/actions/graph_actions.h"

#include <QActionGroup>

#include "ui/frame/actions.h"
#include "ui/graph/graph_view.h"

namespace overlap::ui {
namespace {

QString tr(const char* text) {
    return GraphView::tr(text);
}

}  // namespace

void registerGraphActions(Actions& actions, GraphView& view) {
    const QString graph = tr("Graph");
    actions.add("graph.fit", graph, tr("&Fit all"), tr("Show all of the graph"), {}, [&view] { view.fitAll(); });
    actions.add("graph.focus", graph, tr("F&ocus selection"), tr("Show what is selected in the graph"), {},
                [&view] { view.focusSelection(); });
    actions.add("graph.close", graph, tr("&Close all boxes"), tr("Show the graph as it was at first"), {}, [&view] {
        if (view.model().isOpen()) view.model().closeAll();
    });
    actions.add("graph.picture", graph, tr("Save the graph as a &picture…"),
                tr("Save what is open in the graph as PNG or SVG"), {}, [&view] { view.exportPicture(); });
    QAction* graphviz = actions.add("graph.graphviz", graph, tr("Layout by &Graphviz"),
                                    tr("Let Graphviz lay out what is inside boxes, in a process of its own"), {},
                                    [&view] { view.model().setGraphviz(!view.model().graphviz()); });
    graphviz->setCheckable(true);
    QObject::connect(&view.model(), &GraphModel::arranged, graphviz,
                     [graphviz, &view] { graphviz->setChecked(view.model().graphviz()); });
    auto* colourings = new QActionGroup(&view);
    for (const BoxColouring colouring : boxColourings()) {
        QAction* action = actions.add(QStringLiteral("graph.colour.") + nameOf(colouring), graph,
                                      tr("Colour by %1").arg(titleOf(colouring)), tr("What the stripes of boxes mean"),
                                      {}, [&view, colouring] { view.model().setColouring(colouring); });
        action->setCheckable(true);
        colourings->addAction(action);
        const auto mark = [action, colouring, &view] { action->setChecked(view.model().colouring() == colouring); };
        QObject::connect(&view.model(), &GraphModel::changed, action, mark);
        mark();
    }

    actions.addViewKey(graph, tr("Arrows"), tr("Box in that direction"));
    actions.addViewKey(graph, tr("Ctrl+Down, Ctrl+Up"), tr("Into the box, to the box around"));
    actions.addViewKey(graph, tr("Enter"), tr("Open or close the box"));
    actions.addViewKey(graph, tr(". and ,"), tr("Next, previous box in order of execution"));
    actions.addViewKey(graph, tr("] and ["), tr("Along the largest flow of data, and against it"));
    actions.addViewKey(graph, tr("W, S"), tr("Zoom in, out; Alt is faster"));
    actions.addViewKey(graph, tr("A, D, Page Up, Page Down"), tr("Pan"));
    actions.addViewKey(graph, tr("Ctrl+wheel"), tr("Zoom at the pointer"));
    actions.addViewKey(graph, tr("F, Home"), tr("Focus the selection, fit all"));
    actions.addViewKey(graph, tr("Backspace or Alt+Left, Alt+Right"), tr("Previous, next view"));
    actions.addViewKey(graph, tr("Middle drag"), tr("Pan"));
    actions.addViewKey(graph, tr("Alt+drag"), tr("Zoom into what is marked"));
    actions.addViewKey(graph, tr("Ctrl+click"), tr("Select the module as well, or no longer"));
    actions.addViewKey(graph, tr("Shift+click"), tr("Select all modules up to this one"));
    actions.addViewKey(graph, tr("Shift+drag, Ctrl+drag"), tr("Select the modules that are marked as well"));
}

}  // namespace overlap::ui
