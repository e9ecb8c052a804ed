#pragma once

#include <QObject>
#include <functional>
#include <map>
#include <vector>

#include "ui/document/stack_move.h"

class QAction;
class QUndoCommand;
class QUndoStack;

namespace overlap::ui {

class Document;
class TimelineEdits;

/// One undo and one redo for the current plan, for edits of the timeline and for what all plans share, in the order in
/// which the user made the edits, although each has a stack of its own. What was undone can be redone until another
/// edit is made, whichever stack that is on; edits of other plans, and of what is not shown, do not count. Opening or
/// adding a plan is no edit: a plan goes when it is closed, and comes back when it is reopened.
class EditHistory : public QObject {
    Q_OBJECT

  public:
    EditHistory(Document& document, TimelineEdits& edits, QObject* parent = nullptr);

    /// Edits of what all plans share; whoever owns them may be gone earlier.
    /// @param shown whether what they change is shown, or belongs to what is: only then are they undone and redone.
    /// Without it they always are.
    void addShared(QUndoStack& stack, std::function<bool()> shown = {});
    /// What addShared() was given to ask may answer otherwise now.
    void askWhatIsShown() { emit changed(); }
    /// Actions that say what they would undo or redo, and are enabled while there is something.
    QAction* makeUndoAction(QObject* parent);
    QAction* makeRedoAction(QObject* parent);

  signals:
    void changed();
    /// The current plan was edited, or edits of it were undone or redone.
    void planEdited(const StackMove& move);
    /// The newest edit of the current plan took in a further one, as each value does that a drag of a slider passes.
    /// @param what the edit as it is now.
    void planEditGrew(const QString& what);
    /// An edit on this stack, of what all plans share, was undone or redone by the actions.
    void steppedShared(QUndoStack* stack);
    /// What is no edit of the plan, such as a note on its timeline, was undone or made again by the actions.
    void told(const QString& sentence);

  private:
    void step(QUndoStack* stack, void (QUndoStack::*way)(), const QString& told_of);
    /// @param text of the next edit; empty where there is none. @param none why there is none.
    /// @param step carries it out.
    QAction* makeAction(QObject* parent, const QString& name, std::function<QString()> text,
                        std::function<QString()> none, std::function<void()> step);

    /// The commands of a stack that are known, each with when it was made.
    struct Made {
        const QUndoCommand* command = nullptr;
        quint64 number = 0;
        QString text;  ///< of the command, which may be gone
    };
    struct Known {
        std::vector<Made> made;
        int index = 0;       ///< of the stack
        quint64 edited = 0;  ///< when an edit was made last
        quint64 undone = 0;  ///< when one was undone last
    };

    void observeVariants();
    void follow();
    void observe(QUndoStack& stack);
    void update(QUndoStack& stack);
    std::vector<QUndoStack*> stacks() const;
    quint64 numberOfNextUndo(const QUndoStack* stack) const;
    void undo();
    void redo();
    /// The stack whose edit is to be undone or redone next; nullptr for none.
    QUndoStack* nextUndo() const;
    QUndoStack* nextRedo() const;

    Document& document_;
    QUndoStack& timeline_;
    QUndoStack* plan_ = nullptr;  ///< of the current plan
    bool editable_ = false;       ///< the current plan can be edited
    struct Shared {
        QUndoStack* stack = nullptr;
        std::function<bool()> shown;  ///< may be empty
    };
    std::vector<Shared> shared_;
    std::map<QUndoStack*, Known> known_;
    quint64 last_number_ = 0;
};

}  // namespace overlap::ui
