#include "ui/graph/graph_accessible.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <unordered_map>

#include "ui/graph/graph_view.h"
#include "ui/theme/harmless_text.h"

namespace overlap::ui {
namespace {

class BoxAccessible;

/// The view; keeps the interfaces of its boxes.
class GraphAccessible : public QAccessibleWidget {
  public:
    explicit GraphAccessible(GraphView* view) : QAccessibleWidget(view, QAccessible::Tree) {
        // Boxes of another graph are others, whatever their numbers.
        QObject::connect(&view->model(), &GraphModel::reset, view, [this] { forget(); });
    }
    ~GraphAccessible() override { forget(); }

    GraphView* view() const { return static_cast<GraphView*>(widget()); }
    QAccessibleInterface* box(BoxId id);

    /// Drawn boxes inside `group`, in order of execution.
    std::vector<BoxId> inside(BoxId group) const {
        std::vector<BoxId> boxes;
        if (!view() || !view()->model().isOpen()) return boxes;
        const BoxTree& tree = view()->model().tree();
        if (group != BoxTree::root && !view()->model().isOpen(group)) return boxes;
        for (std::uint32_t i = 0; i < tree.box(group).child_count; ++i)
            boxes.push_back(tree.box(group).first_child + i);
        return boxes;
    }

    int childCount() const override { return static_cast<int>(inside(BoxTree::root).size()); }
    QAccessibleInterface* child(int index) const override {
        const std::vector<BoxId> boxes = inside(BoxTree::root);
        if (index < 0 || static_cast<std::size_t>(index) >= boxes.size()) return nullptr;
        return const_cast<GraphAccessible*>(this)->box(boxes[static_cast<std::size_t>(index)]);
    }
    int indexOfChild(const QAccessibleInterface* child) const override;
    QAccessibleInterface* focusChild() const override {
        return view()->current() == no_box ? nullptr : const_cast<GraphAccessible*>(this)->box(view()->current());
    }
    QAccessibleInterface* childAt(int x, int y) const override {
        const BoxId found = view()->boxAt(view()->mapFromGlobal(QPoint(x, y)));
        return found == no_box ? nullptr : const_cast<GraphAccessible*>(this)->box(found);
    }

  private:
    void forget() {
        for (const auto& [box, id] : interfaces_) QAccessible::deleteAccessibleInterface(id);
        interfaces_.clear();
    }

    std::unordered_map<BoxId, QAccessible::Id> interfaces_;
};

class BoxAccessible : public QAccessibleInterface, public QAccessibleActionInterface {
  public:
    BoxAccessible(GraphAccessible& graph, BoxId box) : graph_(graph), box_(box) {}

    BoxId boxId() const { return box_; }
    bool isValid() const override {
        return graph_.isValid() && graph_.view()->model().isOpen() &&
               box_ < graph_.view()->model().tree().box_count() && graph_.view()->model().arrangement().find(box_);
    }
    QObject* object() const override { return nullptr; }
    QWindow* window() const override { return graph_.window(); }

    QAccessibleInterface* parent() const override {
        const BoxId around = model().tree().box(box_).parent;
        return around == BoxTree::root ? static_cast<QAccessibleInterface*>(&graph_) : graph_.box(around);
    }
    int childCount() const override { return static_cast<int>(graph_.inside(box_).size()); }
    QAccessibleInterface* child(int index) const override {
        const std::vector<BoxId> boxes = graph_.inside(box_);
        if (index < 0 || static_cast<std::size_t>(index) >= boxes.size()) return nullptr;
        return graph_.box(boxes[static_cast<std::size_t>(index)]);
    }
    QAccessibleInterface* childAt(int x, int y) const override {
        QAccessibleInterface* found = graph_.childAt(x, y);
        return found == this ? nullptr : found;
    }
    int indexOfChild(const QAccessibleInterface* child) const override {
        const std::vector<BoxId> boxes = graph_.inside(box_);
        const auto* box = dynamic_cast<const BoxAccessible*>(child);
        const auto found = box ? std::find(boxes.begin(), boxes.end(), box->box_) : boxes.end();
        return found == boxes.end() ? -1 : static_cast<int>(found - boxes.begin());
    }

    QString text(QAccessible::Text kind) const override {
        if (kind == QAccessible::Name)
            return shownName(model().texts().spoken(box_, model().isOpen(box_), model().partlySelected(box_)));
        if (kind == QAccessible::Description) return shownName(model().texts().path(box_));
        return {};
    }
    void setText(QAccessible::Text, const QString&) override {}
    QRect rect() const override {
        const QRect local = graph_.view()->boxRect(box_).toAlignedRect();
        return {graph_.view()->mapToGlobal(local.topLeft()), local.size()};
    }
    QAccessible::Role role() const override { return QAccessible::TreeItem; }
    QAccessible::State state() const override {
        QAccessible::State state;
        state.selectable = state.focusable = true;
        state.selected = model().isSelected(box_) && !model().isPartlySelected(box_);
        state.focused = graph_.view()->current() == box_ && graph_.view()->hasFocus();
        state.expandable = model().tree().has_children(box_);
        state.expanded = state.expandable && model().isOpen(box_);
        state.collapsed = state.expandable && !state.expanded;
        state.offscreen = !graph_.view()->boxRect(box_).intersects(graph_.view()->rect());
        return state;
    }

    void* interface_cast(QAccessible::InterfaceType type) override {
        return type == QAccessible::ActionInterface ? static_cast<QAccessibleActionInterface*>(this) : nullptr;
    }
    QStringList actionNames() const override {
        QStringList names{setFocusAction()};
        if (model().tree().has_children(box_)) names.append(toggleAction());
        return names;
    }
    void doAction(const QString& name) override {
        if (name == setFocusAction()) {
            graph_.view()->setFocus();
            graph_.view()->select(box_);
        } else if (name == toggleAction()) {
            graph_.view()->toggle(box_);
        }
    }
    QStringList keyBindingsForAction(const QString& name) const override {
        return name == toggleAction() ? QStringList{GraphView::tr("Enter")} : QStringList();
    }

  private:
    const GraphModel& model() const { return graph_.view()->model(); }

    GraphAccessible& graph_;
    BoxId box_;
};

QAccessibleInterface* GraphAccessible::box(BoxId id) {
    if (const auto known = interfaces_.find(id); known != interfaces_.end())
        return QAccessible::accessibleInterface(known->second);
    auto* made = new BoxAccessible(*this, id);
    interfaces_[id] = QAccessible::registerAccessibleInterface(made);
    return made;
}

int GraphAccessible::indexOfChild(const QAccessibleInterface* child) const {
    const std::vector<BoxId> boxes = inside(BoxTree::root);
    const auto* box = dynamic_cast<const BoxAccessible*>(child);
    const auto found = box ? std::find(boxes.begin(), boxes.end(), box->boxId()) : boxes.end();
    return found == boxes.end() ? -1 : static_cast<int>(found - boxes.begin());
}

QAccessibleInterface* makeInterface(const QString&, QObject* object) {
    auto* view = qobject_cast<GraphView*>(object);
    return view ? new GraphAccessible(view) : nullptr;
}

}  // namespace

void installGraphAccessibility() {
    QAccessible::installFactory(makeInterface);
}

void announceCurrentBox(GraphView& view) {
    if (!QAccessible::isActive() || !view.hasFocus()) return;
    auto* graph = dynamic_cast<GraphAccessible*>(QAccessible::queryAccessibleInterface(&view));
    QAccessibleInterface* focused = graph ? graph->focusChild() : nullptr;
    if (!focused) return;
    QAccessibleEvent event(focused, QAccessible::Focus);
    QAccessible::updateAccessibility(&event);
}

}  // namespace overlap::ui
