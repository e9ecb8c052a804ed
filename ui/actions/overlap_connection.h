#pragma once

#include <QObject>
#include <QPointer>
#include <memory>

#include "ui/passes/overlap_dialog.h"

class QMenu;

namespace overlap::ui {

struct EventDragAnswer;
struct EventDragPlace;
class ModuleTreeView;
class TimelineView;

/// Lets the user direct overlaps by hand: collectives of the timeline are dragged, their menu and a dialog do the same
/// by text and keys, for one or for all that are chosen. While they are dragged, nodes that the one under the pointer
/// can move neither before nor behind are dimmed.
class OverlapConnection : public QObject {
    Q_OBJECT

  public:
    OverlapConnection(Document& document, TimelineView& view, QObject* parent);

    /// Where modules are listed: a collective that is dragged there is dropped on a module.
    void setModules(ModuleTreeView& modules) { modules_ = &modules; }

    /// Opens the dialog for the collective `node` of the current evaluation, or that it waits for, and for those that
    /// are chosen with it in the timeline.
    void edit(const QString& node, OverlapDialog::Field first = OverlapDialog::Field::start_before);
    /// The same for what is selected.
    void editSelection(OverlapDialog::Field first);
    void removeOfSelection();
    /// The open dialog, or nullptr.
    OverlapDialog* dialog() const { return dialog_; }

  signals:
    /// Something that the user should read, such as why a collective cannot be moved.
    void told(const QString& sentence);

  private:
    bool isMovable(quint32 reference) const;
    bool begin(const std::vector<quint32>& references, bool byEnd);
    EventDragAnswer ask(const EventDragPlace& place);
    void drop(const EventDragPlace& place);
    void finish();
    void fill(QMenu& menu, quint32 reference);
    DraggedOverlap::Wish wishAt(const EventDragPlace& place) const;
    /// The collective's start, or no_node after reporting why not.
    NodeId collectiveOf(const QString& node);
    /// That collective, and those that are chosen with it.
    std::vector<NodeId> withChosen(NodeId start) const;
    void remove(NodeId start);

    Document& document_;
    TimelineView& view_;
    ModuleTreeView* modules_ = nullptr;
    std::unique_ptr<DraggedOverlap> dragged_;
    bool by_end_ = false;
    std::vector<quint32> highlighted_before_;
    QPointer<OverlapDialog> dialog_;
};

}  // namespace overlap::ui
