#pragma once

#include <QObject>
#include <QString>
#include <QStringList>

namespace overlap::ui {

/// The one selection that all views share: one thing, or several modules. What is selected is named rather than
/// numbered, so that it survives a new evaluation and a change of variant.
class Selection : public QObject {
    Q_OBJECT

  public:
    enum class Kind { nothing, node, module, modules, bucket, group };

    using QObject::QObject;

    Kind kind() const { return kind_; }
    /// Name of the selected node, in the graph of the current evaluation or in the graph as it was read.
    const QString& node() const { return node_; }
    /// Dotted path of the selected module; empty for the root.
    QString module() const { return kind_ == Kind::module ? modules_.front() : QString(); }
    /// Dotted paths of the selected modules, in the order in which they were given: one of Kind::module, at least two
    /// of Kind::modules, none of other kinds.
    const QStringList& modules() const { return modules_; }
    /// Index of the selected bucket entry, or -1.
    int bucket() const { return bucket_; }
    /// Name of the selected process group.
    const QString& group() const { return group_; }

    void selectNode(const QString& name);
    void selectModule(const QString& path);
    /// Several modules together, each once, and of modules inside one another the outer one alone. One is the same as
    /// selectModule(), none as clear().
    void selectModules(QStringList paths);
    void selectBucket(int index);
    void selectGroup(const QString& name);
    void clear();

  signals:
    void changed();

  private:
    void set(Kind kind, const QString& node, const QStringList& modules, int bucket, const QString& group = {});

    Kind kind_ = Kind::nothing;
    QString node_, group_;
    QStringList modules_;
    int bucket_ = -1;
};

}  // namespace overlap::ui
