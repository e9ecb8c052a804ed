#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QTabBar>
#include <QTextBrowser>
#include <QTreeView>

#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/frame/actions.h"
#include "ui/graph/graph_view.h"
#include "ui/groups/process_groups_panel.h"
#include "ui/inspector/inspector_content.h"
#include "ui/inspector/inspector_panel.h"
#include "ui/modules/module_tree_model.h"
#include "ui/modules/modules_panel.h"
#include "ui/panels/problems_panel.h"
#include "ui/plan/bucket_board.h"
#include "ui/plan/bucket_view.h"
#include "ui/shell/main_window.h"
#include "ui/shell/workspace/workspace.h"
#include "ui/theme/harmless_model.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {
namespace {

const QStringList hostile_names{QStringLiteral("line\nbreak\r\n# more"),
                                QStringLiteral("\u202eevil\u2066"),
                                QStringLiteral("bell\u0007\u001b[31m\ttab"),
                                QStringLiteral("zero\u200bwidth\u2028\u2029"),
                                QStringLiteral("</b><img src=x>&amp;%1%2"),
                                QStringLiteral("tags\U000e0041\U000e007f"),
                                QString(200'000, u'x')};
const QString hostile_group = QStringLiteral("0\n\u202e</td>");

QJsonObject tensor(int rows, int storage) {
    return {{"dtype", "bfloat16"},         {"shape", QJsonArray{rows, 64}},
            {"stride", QJsonArray{64, 1}}, {"device", "cuda:0\u202e"},
            {"storage", storage},          {"storage_bytes", rows * 128}};
}

/// Layers with a gathered parameter each; nodes, modules, the group and the graph have hostile names.
QByteArray hostileGraph() {
    QJsonArray nodes;
    const auto add = [&](const QString& name, const QString& target, const QJsonArray& args, int rows,
                         const QString& module = {}, double ms = 0) {
        QJsonObject node{{"name", name},
                         {"op", args.isEmpty() ? "placeholder" : "call_function"},
                         {"target", target},
                         {"args", args},
                         {"kwargs", QJsonObject()},
                         {"outputs", QJsonArray{tensor(rows, static_cast<int>(nodes.size()))}}};
        if (!module.isEmpty()) node["custom"] = QJsonObject{{"module_fqn", module}};
        if (!args.isEmpty()) node["estimate_ms"] = ms;
        nodes.append(node);
        return QJsonObject{{"node", name}};
    };
    QJsonObject x = add("x\u0007", "x\n", {}, 64);
    for (const QString& name : hostile_names) {
        const QString module = name;
        const QJsonObject shard = add(name + "_p", "p\u202e", {}, 8);
        const QJsonObject gathered = add(name + "_ag", "_c10d_functional.all_gather_into_tensor.default",
                                         {shard, 8, hostile_group}, 64, module, 2);
        const QJsonObject waited = add(name + "_wait", "_c10d_functional.wait_tensor.default", {gathered}, 64, module);
        x = add(name + "_mm", "aten.mm.default", {x, waited}, 64, module, 1);
    }
    add("no\nmodule", "aten.relu.default", {x}, 64);
    nodes.append(QJsonObject{{"name", "output"},
                             {"op", "output"},
                             {"target", "output"},
                             {"args", QJsonArray{QJsonArray{x}}},
                             {"kwargs", QJsonObject()}});
    const QJsonObject group{{"name", hostile_group},
                            {"ranks", QJsonArray{0, 1, 2, 3, 4, 5, 6, 7}},
                            {"rank", 0},
                            {"desc", "what\nfor\u202e"}};
    return QJsonDocument(QJsonObject{{"format", "overlap-graph"},
                                     {"version", 1},
                                     {"name", "graph\n\u202e"},
                                     {"rank", 0},
                                     {"world_size", 8},
                                     {"process_groups", QJsonArray{group}},
                                     {"nodes", nodes}})
        .toJson();
}

/// A bucket with a hostile title for every module, and a module that is not there.
QByteArray hostilePlan() {
    QJsonArray buckets;
    for (const QString& name : hostile_names)
        buckets.append(QJsonObject{{"modules", QJsonArray{name}}, {"title", "title of " + name}});
    buckets.append(QJsonObject{{"modules", QJsonArray{"missing\n\u202emodule"}}});
    const QJsonObject step{{"pass", "manual_overlap_bucketing"},
                           {"options", QJsonObject{{"module_stack_fn", "custom.module_fqn"}}}};
    return QJsonDocument(QJsonObject{{"format", "overlap-plan"},
                                     {"version", 1},
                                     {"name", "plan\n\u202e\u0007"},
                                     {"buckets", buckets},
                                     {"pipeline", QJsonArray{step}}})
        .toJson();
}

/// What is wrong with a text that is shown; empty where all is well. Several lines are, where `lines` says so.
QString harmIn(const QString& text, bool lines = false) {
    if (text.size() > 20'000) return QStringLiteral("%1 characters").arg(text.size());
    for (const uint letter : text.toUcs4()) {
        if (lines && letter == '\n') continue;
        const QChar::Category category = QChar::category(letter);
        if (category == QChar::Other_Control || category == QChar::Other_Format || category == QChar::Separator_Line ||
            category == QChar::Separator_Paragraph)
            return QStringLiteral("U+%1 in %2").arg(letter, 4, 16, QChar(u'0')).arg(text.left(80));
    }
    return {};
}

/// Collects what is wrong, with where it was.
class Harm {
  public:
    void look(const QString& where, const QString& text, bool lines = false) {
        ++texts_;
        if (const QString harm = harmIn(text, lines); !harm.isEmpty() && found_.size() < 20)
            found_.append(where + QStringLiteral(": ") + harm);
    }

    void lookAtModel(const QString& where, const QAbstractItemModel& model, const QModelIndex& parent = {}) {
        for (int row = 0; row < model.rowCount(parent); ++row)
            for (int column = 0; column < model.columnCount(parent); ++column) {
                const QModelIndex index = model.index(row, column, parent);
                // A parameter and a device order of the Mesh view take two lines each.
                look(where, index.data(Qt::DisplayRole).toString(),
                     where.startsWith(u"meshParameters") || where.startsWith(u"deviceOrders"));
                look(where + QStringLiteral(", spoken"), index.data(Qt::AccessibleTextRole).toString(), true);
                look(where + QStringLiteral(", tool tip"), index.data(Qt::ToolTipRole).toString(), true);
                if (column == 0) lookAtModel(where, model, index);
            }
    }

    void lookAt(QWidget& window) {
        QList<QWidget*> widgets = window.findChildren<QWidget*>();
        widgets.append(&window);
        for (QWidget* widget : widgets) {
            const QString where = QString::fromLatin1(widget->metaObject()->className()) + u' ' + widget->objectName();
            look(where + QStringLiteral(", name"), widget->accessibleName());
            look(where + QStringLiteral(", description"), widget->accessibleDescription());
            look(where + QStringLiteral(", tool tip"), widget->toolTip(), true);
            look(where + QStringLiteral(", title"), widget->windowTitle());
            if (const auto* label = qobject_cast<QLabel*>(widget)) look(where, label->text(), true);
            if (const auto* button = qobject_cast<QAbstractButton*>(widget)) look(where, button->text());
            if (const auto* text = qobject_cast<QTextEdit*>(widget)) look(where, text->toPlainText(), true);
            if (const auto* view = qobject_cast<QAbstractItemView*>(widget); view && view->model())
                lookAtModel(widget->objectName() + u' ' + where, *view->model());
            if (const auto* tabs = qobject_cast<QTabBar*>(widget))
                for (int tab = 0; tab < tabs->count(); ++tab) {
                    look(where, tabs->tabText(tab));
                    look(where + QStringLiteral(", tool tip"), tabs->tabToolTip(tab), true);
                    look(where + QStringLiteral(", spoken"), tabs->accessibleTabName(tab));
                }
        }
        for (const QAction* action : window.findChildren<QAction*>()) {
            look(QStringLiteral("action"), action->text().section(u'\t', 0, 0));
            look(QStringLiteral("action, tool tip"), action->toolTip(), true);
        }
    }

    /// What a screen reader is told of what is drawn by hand.
    void listen(QAccessibleInterface* interface, int depth = 0) {
        if (!interface || depth > 6) return;
        look(QStringLiteral("spoken"), interface->text(QAccessible::Name));
        look(QStringLiteral("spoken, description"), interface->text(QAccessible::Description));
        for (int child = 0; child < std::min(interface->childCount(), 200); ++child)
            listen(interface->child(child), depth + 1);
    }

    int texts() const { return texts_; }
    QString found() const { return found_.join(u'\n'); }

  private:
    QStringList found_;
    int texts_ = 0;
};

void write(const QString& path, const QByteArray& content) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(content);
}

}  // namespace

/// The window with names that strangers might have chosen.
class HostileNamesTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::unique_ptr<MainWindow> window_;

    bool waitUntilIdle() {
        return QTest::qWaitFor([&] { return window_->idle() && !window_->document().current()->stale(); }, 60'000);
    }

    void lookAtEverything() {
        QVERIFY(waitUntilIdle());
        Harm harm;
        harm.lookAt(*window_);
        for (QWidget* drawn : {static_cast<QWidget*>(&window_->workspace().graphView()),
                               static_cast<QWidget*>(&window_->workspace().timeline())})
            harm.listen(QAccessible::queryAccessibleInterface(drawn));
        QVERIFY2(harm.found().isEmpty(), qPrintable(harm.found()));
        QVERIFY(harm.texts() > 1000);
    }

    static QString copied(QWidget& from) {
        QApplication::clipboard()->clear();
        QTest::keySequence(&from, QKeySequence::Copy);
        return QApplication::clipboard()->text();
    }

  private slots:
    void init() {
        const QString graph = folder_.filePath("g.graph.json"), plan = folder_.filePath("p.plan.json");
        write(graph, hostileGraph());
        write(plan, hostilePlan());
        window_ = std::make_unique<MainWindow>();
        window_->resize(1400, 900);
        window_->show();
        window_->openFiles({graph, plan});
        QVERIFY(
            QTest::qWaitFor([&] { return window_->document().isOpen() && window_->document().variantCount() > 1; }));
        QVERIFY(waitUntilIdle());
        QCOMPARE(window_->document().current()->title(), QStringLiteral("plan\n\u202e\u0007"));
    }

    void nothingThatIsShownDoesHarm() {
        for (QDockWidget* dock : window_->findChildren<QDockWidget*>()) dock->show();
        lookAtEverything();
    }

    void whateverIsSelectedDoesNone() {
        Selection& selection = window_->document().selection();
        for (const QString& name : hostile_names) {
            selection.selectModule(name);
            lookAtEverything();
            selection.selectNode(name + "_ag");
            lookAtEverything();
        }
        selection.selectBucket(1);
        lookAtEverything();
        selection.selectGroup(hostile_group);
        lookAtEverything();
    }

    void editsAreToldHarmlessly() {
        BucketCommands(window_->document()).remove({0});
        BucketCommands(window_->document()).rename(0, "a\u202e\nb");
        lookAtEverything();
        BucketCommands(window_->document()).addText("nothing.of\u202e.that");
        lookAtEverything();
    }

    void copyingGivesTheTrueNames() {
        auto* tree = window_->workspace().modulesPanel().findChild<QTreeView*>();
        auto* modules = qobject_cast<ModuleTreeModel*>(tree->model());
        QVERIFY(modules);
        for (const QString& name : hostile_names) {
            const QModelIndex index = modules->indexOfModule(name);
            QVERIFY(index.isValid());
            QCOMPARE(index.data(true_text_role).toString(), name);
            tree->selectionModel()->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect);
            QCOMPARE(copied(*tree), name);
        }
        QVERIFY(
            copied(*window_->workspace().processGroups().findChild<QTreeView*>()).contains(QStringLiteral("\u202e")));
        QVERIFY(copied(window_->workspace().problems()).contains(QStringLiteral("missing")));

        BucketView& buckets = *window_->workspace().bucketBoard().view();
        buckets.selectionModel()->select(buckets.model()->index(1, 0), QItemSelectionModel::ClearAndSelect);
        window_->actions().find("bucket.copy")->trigger();
        QCOMPARE(QApplication::clipboard()->text(), hostile_names[1]);

        window_->document().selection().selectNode(hostile_names[0] + "_ag");
        QVERIFY(plainText(inspect(window_->document())).contains(hostile_names[0]));
    }

    void linksOfTheInspectorSelectWhatTheyName() {
        Selection& selection = window_->document().selection();
        for (const QString& name : hostile_names) {
            selection.selectNode(name + "_ag");
            QTRY_VERIFY(window_->workspace().inspector().toPlainText().contains(shownName(name + "_ag")));
            const InspectorContent content = inspect(window_->document());
            int link = 0, wait = -1;
            for (const InspectorRow& row : content.rows)
                for (const InspectorPiece& piece : row.pieces) {
                    if (piece.link == "node:" + name + "_wait") wait = link;
                    link += piece.link.isEmpty() ? 0 : 1;
                }
            QVERIFY(wait >= 0);
            emit window_->workspace().inspector().anchorClicked(QUrl(QString::number(wait)));
            QCOMPARE(selection.node(), name + "_wait");
        }
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::HostileNamesTest)
#include "hostile_names_test.moc"
