#pragma once

#include <QObject>
#include <QString>
#include <functional>

namespace overlap::ui {

class TimelineView;

/// Writes what a timeline shows into files: a picture (.png, .svg), its events (.csv), or a trace for Perfetto (.json).
class TimelineExport : public QObject {
    Q_OBJECT

  public:
    /// @param simulated whether the view shows times that nobody measured; nothing: always.
    explicit TimelineExport(TimelineView& view, QObject* parent = nullptr, std::function<bool()> simulated = {});

    /// Asks for a file, and writes it. @param name the suggested name, without suffix.
    void ask(const QString& name, bool visibleOnly);
    /// Writes the kind of file that the name's extension selects.
    /// @returns an empty string, or one sentence on why there is no file.
    QString write(const QString& path, bool visibleOnly) const;

  signals:
    void written(const QString& path);
    void failed(const QString& reason);

  private:
    TimelineView& view_;
    std::function<bool()> simulated_;
};

}  // namespace overlap::ui
