// What a person can do, each thing once.

#include <QApplication>
#include <QDockWidget>
#include <QFileInfo>
#include <QLineEdit>
#include <QMenuBar>
#include <QToolBar>
#include <system_error>

#include "core/pipeline/manual_start.h"
#include "ui/edits/automatic_commands.h"
#include "ui/edits/bucket_commands.h"
#include "ui/frame/centre_tabs.h"
#include "ui/frame/command_palette.h"
#include "ui/frame/figures_bar.h"
#include "ui/frame/notice_bar.h"
#include "ui/frame/shortcut_help.h"
#include "ui/frame/variant_bar.h"
#include "ui/groups/process_groups_panel.h"
#include "ui/measure/measurements.h"
#include "ui/mesh/mesh_connection.h"
#include "ui/modules/modules_panel.h"
#include "ui/panels/log.h"
#include "ui/plan/bucket_board.h"
#include "ui/plan/bucket_view.h"
#include "ui/shell/edit_history.h"
#include "ui/shell/graph_actions.h"
#include "ui/shell/main_window.h"
#include "ui/shell/module_repair.h"
#include "ui/shell/overlap_actions.h"
#include "ui/shell/pass_actions.h"
#include "ui/shell/plan_export.h"
#include "ui/shell/timeline_actions.h"
#include "ui/theme/harmless_text.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

void MainWindow::registerActions() {
    registerFileActions();
    registerPlanActions();
    registerRunActions();
    registerPassActions(*actions_, *passes_);
    registerGraphActions(*actions_, *graph_);
    registerViewActions();
    registerTimelineActions(*actions_, *timeline_,
                            [this](bool visibleOnly) { emit timeline_->exportWanted(visibleOnly); });
    // The last of its menu, behind what views have for files.
    actions_->add("file.quit", tr("File"), tr("&Quit"), tr("Quit; everything comes back at the next start"),
                  {QKeySequence::Quit}, [this] { close(); });
    registerHelp();

    auto toolButton = [this](const char* id, const char* icon, bool text) {
        QAction* action = actions_->find(QString::fromLatin1(id));
        action->setProperty("iconName", QString::fromLatin1(icon));
        tool_bar_->addAction(action);
        if (text)
            static_cast<QToolButton*>(tool_bar_->widgetForAction(action))
                ->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    };
    toolButton("file.open", "open", true);
    toolButton("file.save", "save", true);
    toolButton("edit.undo", "undo", false);
    toolButton("edit.redo", "redo", false);
    tool_bar_->addWidget(variant_bar_);
    toolButton("run.show", "run", true);
    auto* space = new QWidget;
    space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    tool_bar_->addWidget(space);
    tool_bar_->addWidget(figures_);
}

void MainWindow::registerFileActions() {
    const QString file = tr("File");
    actions_
        ->add("file.open", file, tr("&Open…"), tr("Open a graph, plans for it, or traces of a job"),
              {QKeySequence::Open}, [this] { askForFiles(); })
        ->setIconText(tr("Open"));
    actions_->add(
        "file.sample", file, tr("Open sam&ple"), tr("Open the embedded graph of a llama3-8B training step"), {},
        [this] { document_.openGraph(QStringLiteral(":/samples/llama3_8b_fsdp64.prebucket.graph.json.gz")); });
    actions_->add("file.cancel", file, tr("&Cancel reading"), tr("Stop reading; what is open stays"), {}, [this] {
        document_.loader().cancel();
        measurements_->cancel();
    });
    actions_->add("file.save", file, tr("&Save"), tr("Save the plan"), {QKeySequence::Save}, [this] { savePlan(); });
    actions_->add("file.saveAs", file, tr("Save &as…"), tr("Save the plan in another file"),
                  {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S)}, [this] { askAndSave(); });
    actions_->add("file.picture", file, tr("Save p&icture…"), tr("Save the window as a picture"), {},
                  [this] { exportPicture(); });
    plan_export_->registerActions(*actions_);

    const QString edit = tr("Edit");
    QAction* undo = history_->makeUndoAction(this);
    undo->setShortcuts(QKeySequence::Undo);
    undo->setIconText(tr("Undo"));
    actions_->adopt("edit.undo", edit, undo, tr("Undo the last edit of this plan or of the timeline"));
    QAction* redo = history_->makeRedoAction(this);
    redo->setShortcuts({QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)});
    redo->setIconText(tr("Redo"));
    actions_->adopt("edit.redo", edit, redo, tr("Do again what was undone"));
    actions_->add("edit.find", edit, tr("&Find modules"), tr("Search the module tree"),
                  {QKeySequence::Find, QKeySequence(Qt::Key_Slash)}, [this] {
                      modules_->parentWidget()->show();
                      modules_->searchField()->setFocus();
                      modules_->searchField()->selectAll();
                  });
}

void MainWindow::registerPlanActions() {
    const QString plan = tr("Plan");
    using Template = BucketCommands::Template;
    actions_->add("plan.new", plan, tr("&New plan"), tr("Add a plan: a copy of the current one"), {QKeySequence::New},
                  [this] {
                      if (document_.isOpen()) document_.addCopyOfCurrent();
                  });
    actions_->add("plan.automatic", plan, tr("Add a&utomatic variant"),
                  tr("Add a plan that leaves order and buckets to PyTorch's overlap scheduler"),
                  {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_A)},
                  [this] { AutomaticCommands(document_).addAutomatic(); });
    actions_->add("plan.order", plan, tr("Use the Mesh view's device &order…"),
                  tr("Store the parameter of the Mesh view, and its alikes, in the order that its source has"), {},
                  [this] { mesh_connection_->askAndTakeOrder(this); });
    QAction* manual = actions_->add("plan.manual", plan, tr("Start &manual plan from this result"),
                                    tr("Add a plan whose cards are the buckets of the automatic result"),
                                    {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_N)}, [this] { startManualPlan(); });
    const auto update_manual = [this, manual, help = manual->statusTip()] {
        const QString refusal = AutomaticCommands(document_).manualRefusal();
        manual->setEnabled(refusal.isEmpty());
        manual->setStatusTip(refusal.isEmpty() ? help : refusal);
        manual->setToolTip(manual->statusTip());
    };
    for (const auto signal : {&Document::planChanged, &Document::evaluationChanged})
        connect(&document_, signal, this, update_manual);
    update_manual();
    board_->setManualStart(manual);
    registerTimesActions();
    registerOverlapActions(*actions_, *overlaps_);
    repair_->registerAction(*actions_);
    actions_->add("plan.rename", plan, tr("&Rename plan…"), tr("Give the plan another name"), {},
                  [this] { renamePlan(); });
    actions_->add("plan.close", plan, tr("&Close plan"),
                  tr("Close the plan, which can be reopened, or the measurement"), {QKeySequence::Close},
                  [this] { closeCurrent(); });
    actions_
        ->add("plan.reopen", plan, tr("Reopen c&losed plan"), tr("Bring back the plan that was closed last"),
              {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_T)}, [this] { reopenPlan(); })
        ->setEnabled(false);
    actions_->add("plan.older", plan, tr("Open the version &before"),
                  tr("Open what the plan's file had before it was saved last, as a plan of its own"), {},
                  [this] { openOlderVersion(); });
    actions_
        ->add("plan.discardRecovered", plan, tr("&Discard recovered edits"),
              tr("Close the plans that came back because the last run was cut off, and open their files as saved"), {},
              [this] { discardRecovered(); })
        ->setEnabled(false);
    actions_->add("plan.next", plan, tr("Ne&xt variant"), tr("Show the next variant"),
                  {QKeySequence(Qt::CTRL | Qt::Key_PageDown)}, [this] { stepVariant(1); });
    actions_->add("plan.previous", plan, tr("Pre&vious variant"), tr("Show the previous variant"),
                  {QKeySequence(Qt::CTRL | Qt::Key_PageUp)}, [this] { stepVariant(-1); });
    actions_->add("plan.startBlock", plan, tr("Start from one bucket a &block"),
                  tr("Replace the buckets by one for each block"), {},
                  [this] { BucketCommands(document_).startFrom(Template::block); });
    actions_->add("plan.startBlocks", plan, tr("Start from one bucket every … bloc&ks"),
                  tr("Replace the buckets by one for every few blocks"), {},
                  [this] { board_->startFromEveryBlocks(); });
    actions_->add("plan.startEmpty", plan, tr("Start from &empty"), tr("Remove all buckets"), {},
                  [this] { BucketCommands(document_).startFrom(Template::empty); });
    actions_->adopt("plan.isolateExperts", plan, groups_->isolateAction(), groups_->isolateAction()->statusTip());
    actions_->adopt("plan.separateGathers", plan, groups_->separateAction(), groups_->separateAction()->statusTip());

    const QString buckets = tr("Buckets");
    BucketView* view = board_->view();
    auto addKey = [&](const char* id, const QString& text, const QString& help, const QList<QKeySequence>& keys,
                      auto run) {
        QAction* action = actions_->add(QString::fromLatin1(id), buckets, text, help, keys, run);
        // These keys mean something else elsewhere: they work while the cards have the focus.
        removeAction(action);
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        view->addAction(action);
    };
    addKey("bucket.rename", tr("&Rename bucket"), tr("Give the bucket a title"), {QKeySequence(Qt::Key_F2)},
           [view] { view->renameCurrent(); });
    addKey("bucket.up", tr("Move &up"), tr("Move the bucket up"), {QKeySequence(Qt::ALT | Qt::Key_Up)},
           [view] { view->moveCurrent(-1); });
    addKey("bucket.down", tr("Move &down"), tr("Move the bucket down"), {QKeySequence(Qt::ALT | Qt::Key_Down)},
           [view] { view->moveCurrent(1); });
    addKey("bucket.merge", tr("&Merge buckets"), tr("Join the selected buckets into the first of them"),
           {QKeySequence(Qt::CTRL | Qt::Key_M)}, [view] { view->mergeSelected(); });
    addKey("bucket.split", tr("&Split bucket"), tr("One bucket for each module of the bucket"),
           {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_M)}, [view] { view->splitCurrent(); });
    // Modules move when they are put into a bucket, so that cutting leaves them where they are until then.
    addKey("bucket.cut", tr("&Cut modules"), tr("Take the modules along, to paste them into another bucket"),
           {QKeySequence::Cut}, [view] { view->copySelected(); });
    addKey("bucket.copy", tr("C&opy modules"), tr("Copy the modules, as text as well"), {QKeySequence::Copy},
           [view] { view->copySelected(); });
    addKey("bucket.paste", tr("&Paste modules"), tr("Put the modules that were cut into this bucket"),
           {QKeySequence::Paste}, [view] { view->paste(); });
    addKey("bucket.pasteNew", tr("Paste into a &new bucket"), tr("Put the modules that were cut into a new bucket"),
           {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_V)}, [view] { view->pasteIntoNew(); });
    addKey("bucket.remove", tr("R&emove"), tr("Remove the bucket, or take the marked module out"),
           {QKeySequence::Delete, QKeySequence(Qt::Key_Backspace)}, [view] { view->removeSelected(); });
    actions_->add("bucket.type", buckets, tr("&Type buckets"), tr("Type entries such as layers.[0-3] or norm+lm_head"),
                  {QKeySequence(Qt::CTRL | Qt::Key_B)}, [this] {
                      board_->parentWidget()->show();
                      board_->entryField()->setFocus();
                  });
}

void MainWindow::startManualPlan() {
    const std::vector<ManualStart::LeftOut> left_out = AutomaticCommands(document_).startManual();
    if (left_out.empty()) return tell(tr("Every automatic bucket is a card now"));
    QStringList sentences;
    for (const ManualStart::LeftOut& reason : left_out) {
        sentences.append(QString::fromStdString(reason.sentence));
        QStringList names;
        for (const std::string& name : reason.names) names.append(QString::fromStdString(name));
        log_->add(QStringLiteral("%1: %2").arg(sentences.back(), names.join(QStringLiteral(", "))));
    }
    notice_->showNotice(tr("%1. The log names them.").arg(sentences.join(QStringLiteral("; "))));
}

void MainWindow::registerViewActions() {
    const QString view = tr("View");
    int number = 1;
    // Numbers are few: what came last goes by its letter.
    const auto keysOf = [&](const QDockWidget* dock) {
        return dock == run_dock_          ? QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_R)
               : dock == compare_dock_    ? QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_D)
               : dock == statistics_dock_ ? QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_I)
                                          : QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_0 + number++));
    };
    for (QDockWidget* dock : docks_) {
        const QString title = dock->windowTitle();
        actions_->add(QStringLiteral("view.go.") + dock->objectName(), view, tr("Go to %1").arg(title),
                      tr("Show %1 and work there by keys").arg(title), {keysOf(dock)}, [dock] {
                          dock->show();
                          dock->raise();
                          QWidget* content = dock->widget();
                          if (content->focusPolicy() != Qt::NoFocus) return content->setFocus();
                          for (QWidget* child : content->findChildren<QWidget*>())
                              if (qobject_cast<QAbstractItemView*>(child)) return child->setFocus();
                      });
        QAction* toggle = dock->toggleViewAction();
        toggle->setText(tr("Show %1").arg(title));
        actions_->adopt(QStringLiteral("view.show.") + dock->objectName(), view, toggle,
                        tr("Show or hide %1").arg(title));
    }
    actions_->add("view.go.timeline", view, tr("Go to Timeline"), tr("Work in the timeline by keys"),
                  {QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_0 + number))},
                  [this] { timeline_->setFocus(); });
    for (const CentreTabs::View& shown : centre_->views()) {
        QList<QKeySequence> keys;
        if (++number <= 10) keys.append(QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_0 + number % 10)));
        actions_->add(QStringLiteral("view.go.") + shown.id, view, tr("Go to %1").arg(shown.title),
                      tr("Show %1 and work there by keys").arg(shown.title), keys, [this, shown] {
                          centre_->showView(shown.id);
                          shown.widget->setFocus();
                      });
    }
    QAction* centre_shown = actions_->add("view.show.centre", view, tr("Show views above the timeline"),
                                          tr("Show the graph above the timeline, or give all room to the timeline"), {},
                                          [this] { centre_->setOpen(!centre_->open()); });
    centre_shown->setCheckable(true);
    centre_shown->setChecked(centre_->open());
    connect(centre_, &CentreTabs::openChanged, centre_shown, &QAction::setChecked);
    for (const auto& [name, text] : {std::pair{"system", tr("Theme: as the s&ystem")},
                                     {"light", tr("Theme: &light")},
                                     {"dark", tr("Theme: &dark")}}) {
        const QString mode = QString::fromLatin1(name);
        actions_
            ->add(QStringLiteral("view.theme.") + mode, view, text, tr("Change the colours of the application"), {},
                  [this, mode] { setThemeMode(mode); })
            ->setCheckable(true);
    }
    actions_->find(QStringLiteral("view.theme.system"))->setChecked(true);
    actions_->add("view.reset", view, tr("&Reset layout"), tr("Put all docks back where they were at first"), {},
                  [this] { resetLayout(); });
}

void MainWindow::registerHelp() {
    const QString help = tr("Help");
    actions_->add("help.palette", help, tr("&Command palette"), tr("Find and run any command"),
                  {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P)}, [this] { palette_->open(); });
    actions_->add("help.shortcuts", help, tr("&Keyboard shortcuts"), tr("List all shortcuts"),
                  {QKeySequence(Qt::Key_Question), QKeySequence(Qt::Key_F1)}, [this] { showShortcuts(); });
    actions_->add("help.diagnostics", help, tr("Copy &diagnostics"),
                  tr("Versions, this machine and the last lines of the log, as text for a report of a fault"), {},
                  [this] { copyDiagnostics(); });
    actions_->add("help.about", help, tr("&About Overlap Studio"), tr("Version and where figures come from"), {},
                  [this] { showAbout(); });

    const QString modules = tr("Modules");
    actions_->addViewKey(modules, tr("Enter"), tr("Add the selected modules to a bucket"));
    actions_->addViewKey(modules, tr("Ctrl+X"), tr("Take the selected modules along, to paste them into a bucket"));
    actions_->addViewKey(modules, tr("Delete"), tr("Take the selected modules out of their bucket"));
    actions_->addViewKey(modules, tr("Enter, Shift+Enter in the search"), tr("Next, previous match"));
    const QString cards = tr("Buckets");
    actions_->addViewKey(cards, tr("Left, Right"), tr("Mark a module of the bucket"));
    actions_->addViewKey(cards, tr("Alt+Left, Alt+Right"), tr("Move the marked module within its bucket"));
    const QString groups = tr("Process groups");
    actions_->addViewKey(groups, tr("Up, Down"),
                         tr("Select the group above, below; the timeline shows what runs on it"));
    const QString problems = tr("Problems");
    actions_->addViewKey(problems, tr("Enter"), tr("Go to the place"));
    actions_->addViewKey(problems, tr("Alt+Enter"), tr("Apply the fix"));
}

void MainWindow::makeMenus() {
    QHash<QString, QMenu*> menus;
    const QStringList separated{"file.save",       "file.quit",           "edit.find",           "plan.next",
                                "plan.startBlock", "plan.isolateExperts", "bucket.up",           "bucket.cut",
                                "bucket.remove",   "bucket.type",         "view.go.timeline",    "view.theme.system",
                                "view.reset",      "graph.picture",       "graph.colour.bucket", "help.about"};
    for (const Actions::Entry& entry : actions_->entries()) {
        QMenu*& menu = menus[entry.menu];
        if (!menu) {
            const bool below = entry.id.startsWith(u"export.");
            menu = below ? menus.value(tr("File"))->addMenu(tr("&Export plan")) : menuBar()->addMenu(u'&' + entry.menu);
            menu->setToolTipsVisible(true);
        }
        if (separated.contains(entry.id)) menu->addSeparator();
        menu->addAction(entry.action);
        if (entry.id == u"file.open") recent_menu_ = menu->addMenu(tr("Open &recent"));
    }
    fillRecentMenu();
}

void MainWindow::fillRecentMenu() {
    recent_menu_->clear();
    for (const QString& file : state_.recent_files) {
        QAction* action =
            recent_menu_->addAction(shownInMenu(QFileInfo(file).fileName()), this, [this, file] { openFiles({file}); });
        action->setToolTip(shownName(file));
    }
    // A file that is away for now keeps its place. Looking for it may hang, with its folder.
    try {
        file_questions_.run([this, files = state_.recent_files]() -> DetachedTasks::Delivery {
            QStringList away;
            for (const QString& file : files)
                if (!QFile::exists(file)) away.append(shownName(file));
            return [this, away] {
                for (QAction* action : recent_menu_->actions())
                    if (away.contains(action->toolTip())) action->setEnabled(false);
            };
        });
    } catch (const std::system_error&) {
        // No further thread: whoever chooses a file that is away is told so then.
    }
    recent_menu_->setEnabled(!recent_menu_->isEmpty());
    if (recent_menu_->isEmpty()) return;
    recent_menu_->addSeparator();
    recent_menu_->addAction(tr("Clear this list"), this, [this] {
        state_.recent_files.clear();
        fillRecentMenu();
        scheduleSession();
    });
}

void MainWindow::showShortcuts() {
    auto* help = new ShortcutHelp(*actions_, this);
    help->setAttribute(Qt::WA_DeleteOnClose);
    help->show();
}

}  // namespace overlap::ui
