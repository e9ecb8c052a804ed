#pragma once

#include <QObject>
#include <functional>
#include <map>
#include <vector>

class QAction;
class QUndoCommand;
class QUndoStack;

namespace overlap::ui {

class Document;
class TimelineEdits;

/// One undo and one redo for the current plan and for edits of the timeline, in the order in which the user made the
/// edits, although plans and timeline have separate stacks.
class EditHistory : public QObject {
    Q_OBJECT

  public:
    EditHistory(Document& document, TimelineEdits& edits, QObject* parent = nullptr);

    /// Actions that say what they would undo or redo, and are enabled while there is something.
    QAction* makeUndoAction(QObject* parent);
    QAction* makeRedoAction(QObject* parent);

  signals:
    void changed();
    /// The current plan was edited, undone or redone.
    /// @param what the edit, such as `Put layers.3 into layers.2`, or which was undone.
    void planEdited(const QString& what);

  private:
    using Next = QUndoStack* (EditHistory::*)() const;
    using Step = void (QUndoStack::*)();
    QAction* makeAction(QObject* parent, Next next, Step step, std::function<QString(const QUndoStack*)> text);

    /// The commands of a stack that are known, each with when it was made.
    struct Made {
        const QUndoCommand* command = nullptr;
        quint64 number = 0;
    };
    struct Known {
        std::vector<Made> made;
        int index = 0;  ///< of the stack
    };

    void observeVariants();
    void follow();
    void observe(QUndoStack& stack);
    void update(QUndoStack& stack);
    /// The stack whose edit is to be undone or redone next; nullptr for none.
    QUndoStack* nextUndo() const;
    QUndoStack* nextRedo() const;

    Document& document_;
    QUndoStack& timeline_;
    QUndoStack* plan_ = nullptr;  ///< of the current plan
    std::map<QUndoStack*, Known> known_;
    quint64 last_number_ = 0;
};

}  // namespace overlap::ui
