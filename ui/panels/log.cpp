#include "ui/panels/log.h"

namespace overlap::ui {
namespace {

constexpr int kept_lines = 2000;

}  // namespace

void Log::add(const QString& text, Level level) {
    if (static_cast<int>(lines_.size()) >= kept_lines) {
        beginRemoveRows({}, 0, kept_lines / 4 - 1);
        lines_.erase(lines_.begin(), lines_.begin() + kept_lines / 4);
        endRemoveRows();
    }
    const int row = static_cast<int>(lines_.size());
    beginInsertRows({}, row, row);
    lines_.push_back({QTime::currentTime(), text, level});
    endInsertRows();
}

int Log::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(lines_.size());
}

QVariant Log::trueData(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Line& line = lines_[static_cast<std::size_t>(index.row())];
    if (role == Qt::DisplayRole)
        return QStringLiteral("%1   %2").arg(line.time.toString(QStringLiteral("HH:mm:ss")), line.text);
    if (role == Qt::ToolTipRole) return line.text;
    if (role == level_role) return static_cast<int>(line.level);
    return {};
}

}  // namespace overlap::ui
