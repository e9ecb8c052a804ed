#pragma once

#include <QWidget>
#include <functional>
#include <vector>

#include "core/modules/module_rules.h"

class QFormLayout;

namespace overlap::ui {

/// The fields of one rule for modules; which ones depends on its kind.
class ModuleRuleForm : public QWidget {
    Q_OBJECT

  public:
    explicit ModuleRuleForm(QWidget* parent = nullptr);

    /// Shows a rule; nothing without one.
    void show(const ModuleRule* rule);

  signals:
    /// The user has changed a field of the rule that is shown.
    void edited(const overlap::ModuleRule& rule);

  private:
    /// @param name without mnemonic, also for those who cannot see the field.
    void addText(const QString& name, const QString& example, const std::string& value,
                 std::function<void(ModuleRule&, const std::string&)> put);
    void addNumber(const QString& name, std::int64_t value, std::int64_t least,
                   std::function<void(ModuleRule&, std::int64_t)> put);
    void addFlag(const QString& name, bool value, std::function<void(ModuleRule&, bool)> put);
    void addFields(const ModuleRule& rule);

    QFormLayout* fields_;
    ModuleRule rule_;
    bool shown_ = false;
};

}  // namespace overlap::ui
