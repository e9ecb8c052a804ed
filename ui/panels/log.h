#pragma once

#include <QAbstractListModel>
#include <QDateTime>
#include <vector>

namespace overlap::ui {

/// What happened, newest last: files opened and saved, failures, long evaluations. Bounded.
class Log : public QAbstractListModel {
    Q_OBJECT

  public:
    enum class Level { note, failure };
    enum Role { level_role = Qt::UserRole };

    using QAbstractListModel::QAbstractListModel;

    void add(const QString& text, Level level = Level::note);
    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

  private:
    struct Line {
        QTime time;
        QString text;
        Level level;
    };
    std::vector<Line> lines_;
};

}  // namespace overlap::ui
