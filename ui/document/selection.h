#pragma once

#include <QObject>
#include <QString>

namespace overlap::ui {

/// The one selection that all views share. At most one thing is selected; it is named rather than numbered, so that it
/// survives a new evaluation and a change of variant.
class Selection : public QObject {
    Q_OBJECT

  public:
    enum class Kind { nothing, node, module, bucket, group };

    using QObject::QObject;

    Kind kind() const { return kind_; }
    /// Name of the selected node, in the graph of the current evaluation or in the graph as it was read.
    const QString& node() const { return node_; }
    /// Dotted path of the selected module; empty for the root.
    const QString& module() const { return module_; }
    /// Index of the selected bucket entry, or -1.
    int bucket() const { return bucket_; }
    /// Name of the selected process group.
    const QString& group() const { return group_; }

    void selectNode(const QString& name);
    void selectModule(const QString& path);
    void selectBucket(int index);
    void selectGroup(const QString& name);
    void clear();

  signals:
    void changed();

  private:
    void set(Kind kind, const QString& node, const QString& module, int bucket, const QString& group = {});

    Kind kind_ = Kind::nothing;
    QString node_, module_, group_;
    int bucket_ = -1;
};

}  // namespace overlap::ui
