#pragma once

#include <QVariant>

#include "ui/theme/harmless_text.h"

namespace overlap::ui {

/// Role of a HarmlessModel: what it shows, as the file has it. What is copied is read by it.
inline constexpr int true_text_role = Qt::UserRole + 1000;

/// A model of Qt's whose texts have names from files: what is displayed, spoken or shown in a tool tip is harmless, all
/// other roles are as they are.
template <class Model>
class HarmlessModel : public Model {
  public:
    using Model::Model;

    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const final {
        switch (role) {
            case true_text_role:
                return trueData(index, Qt::DisplayRole);
            case Qt::DisplayRole:
            case Qt::AccessibleTextRole:
                return shown(trueData(index, role), shownName);
            case Qt::ToolTipRole:
                return shown(trueData(index, role), shownLines);
            default:
                return trueData(index, role);
        }
    }

  protected:
    /// What data() is made of: names as they are.
    virtual QVariant trueData(const QModelIndex& index, int role) const = 0;

  private:
    static QVariant shown(QVariant data, QString (*as_shown)(const QString&)) {
        return data.userType() == QMetaType::QString ? QVariant(as_shown(data.toString())) : data;
    }
};

}  // namespace overlap::ui
