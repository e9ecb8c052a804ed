#include "ui/actions/bucket_actions.h"

#include <QCoreApplication>
#include <QLineEdit>

#include "ui/frame/actions.h"
#include "ui/plan/bucket_board.h"
#include "ui/plan/bucket_view.h"

namespace overlap::ui {
namespace {

QString text(const char* words) {
    return QCoreApplication::translate("BucketActions", words);
}

}  // namespace

void registerBucketActions(Actions& actions, BucketBoard& board) {
    const QString buckets = text("Buckets");
    BucketView* view = board.view();
    auto addKey = [&](const char* id, const char* title, const char* help, const QList<QKeySequence>& keys, auto run) {
        QAction* action = actions.add(QString::fromLatin1(id), buckets, text(title), text(help), keys, run);
        static_cast<QWidget*>(actions.parent())->removeAction(action);
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        view->addAction(action);
    };
    addKey("bucket.rename", "&Rename bucket", "Give the bucket a title", {QKeySequence(Qt::Key_F2)},
           [view] { view->renameCurrent(); });
    addKey("bucket.up", "Move &up", "Move the bucket up", {QKeySequence(Qt::ALT | Qt::Key_Up)},
           [view] { view->moveCurrent(-1); });
    addKey("bucket.down", "Move &down", "Move the bucket down", {QKeySequence(Qt::ALT | Qt::Key_Down)},
           [view] { view->moveCurrent(1); });
    addKey("bucket.merge", "&Merge buckets", "Join the selected buckets into the first of them",
           {QKeySequence(Qt::CTRL | Qt::Key_M)}, [view] { view->mergeSelected(); });
    addKey("bucket.split", "&Split bucket", "One bucket for each module of the bucket",
           {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_M)}, [view] { view->splitCurrent(); });
    // Modules move when they are put into a bucket, so cutting leaves them in place until then.
    addKey("bucket.cut", "&Cut modules", "Take the modules along, to paste them into another bucket",
           {QKeySequence::Cut}, [view] { view->copySelected(); });
    addKey("bucket.copy", "C&opy modules", "Copy the modules, as text as well", {QKeySequence::Copy},
           [view] { view->copySelected(); });
    addKey("bucket.paste", "&Paste modules", "Put the modules that were cut into this bucket", {QKeySequence::Paste},
           [view] { view->paste(); });
    addKey("bucket.pasteNew", "Paste into a &new bucket", "Put the modules that were cut into a new bucket",
           {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_V)}, [view] { view->pasteIntoNew(); });
    addKey("bucket.remove", "R&emove", "Remove the bucket, or take the marked module out",
           {QKeySequence::Delete, QKeySequence(Qt::Key_Backspace)}, [view] { view->removeSelected(); });
    BucketBoard* const shown = &board;
    actions.add("bucket.type", buckets, text("&Type buckets"),
                text("Type entries such as layers.[0-3] or norm+lm_head"), {QKeySequence(Qt::CTRL | Qt::Key_B)},
                [shown] {
                    shown->parentWidget()->show();
                    shown->entryField()->setFocus();
                });
}

}  // namespace overlap::ui
