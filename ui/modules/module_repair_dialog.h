#pragma once

#include <QDialog>
#include <QStringList>

#include "core/modules/module_proposals.h"
#include "ui/tasks/latest_task.h"

class QDialogButtonBox;
class QLabel;
class QListWidget;
class QMenu;
class QTreeView;

namespace overlap::ui {

class Document;
class ModuleRuleForm;
class ModuleRulesModel;

/// Rules that give modules to nodes which have none: proposed from the graph, edited with a live preview, and made part
/// of the current plan as one edit when the dialog is accepted. It blocks nothing and closes with its graph.
class ModuleRepairDialog : public QDialog {
    Q_OBJECT

  public:
    explicit ModuleRepairDialog(Document& document, QWidget* parent = nullptr);

    ModuleRulesModel& model() { return *model_; }
    QTreeView& table() { return *table_; }
    /// What the rules give altogether, in words.
    QString summary() const;
    /// Adds a rule that gives these nodes a module by hand, and puts the cursor where it is typed.
    void giveByHand(const QStringList& nodes);

    void accept() override;

  private:
    void makeTable();
    QWidget* makeButtons();
    QWidget* makeDetails();
    void propose();
    void take(const std::vector<ModuleProposal>& proposals);
    void add(ModuleRule rule);
    void addOfKind(ModuleRule::Kind kind);
    void showRule();
    void showPreview();
    int current() const;

    Document& document_;
    ModuleRulesModel* model_;
    QTreeView* table_;
    QMenu* proposals_;
    ModuleRuleForm* form_;
    QLabel* examples_title_;
    QListWidget* examples_;
    QLabel* summary_;
    QDialogButtonBox* buttons_;
    bool nothing_proposed_ = false;  ///< known once the graph has been looked through
    LatestTask task_;
};

}  // namespace overlap::ui
