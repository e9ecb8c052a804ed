#pragma once

#include <QAbstractListModel>
#include <QDateTime>
#include <vector>

#include "ui/theme/harmless_model.h"

namespace overlap::ui {

/// What happened, newest last: files opened and saved, failures, long evaluations. Bounded.
class Log : public HarmlessModel<QAbstractListModel> {
    Q_OBJECT

  public:
    enum class Level { note, failure };
    enum Role { level_role = Qt::UserRole };

    using HarmlessModel::HarmlessModel;

    void add(const QString& text, Level level = Level::note);
    int rowCount(const QModelIndex& parent = {}) const override;

  private:
    struct Line {
        QTime time;
        QString text;
        Level level;
    };

    QVariant trueData(const QModelIndex& index, int role) const override;

    std::vector<Line> lines_;
};

}  // namespace overlap::ui
