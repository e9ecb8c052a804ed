#pragma once

#include <QObject>
#include <memory>
#include <optional>
#include <vector>

#include "core/imports/sharding_document.h"
#include "core/redistribution/device_orders.h"
#include "ui/mesh/answers/mesh_parameters.h"
#include "ui/tasks/latest_task.h"

class QWidget;

namespace overlap::ui {

class Document;
class MeshView;
struct GraphLinks;

/// Connects the Mesh view with the document: offers the open graph's parameters with what redistributes them, found in
/// the background, and takes the order that the view shows into the current plan, whose orders it lists.
class MeshConnection : public QObject {
    Q_OBJECT

  public:
    MeshConnection(Document& document, MeshView& view, QObject* parent = nullptr);

    /// True while the open graph's chains are being looked for, or placements are being read.
    bool busy() const { return task_.busy() || placements_task_.busy() || rows_task_.busy(); }
    /// The open graph's chains; nullptr until they are found, and where times are not known.
    std::shared_ptr<const ComparedChains> chains() const { return found_.compared; }

    /// Reads placements that autoparallel exported, in the background, and lists what they redistribute behind the open
    /// graph's parameters; they stay until others are opened. failed() reports failures.
    void openPlacements(const QString& path);

    /// Why takeOrder() would refuse, as a sentence without full stop; empty where it would not. What is taken is the
    /// source that the view shows, for the parameter that was selected last.
    QString refusal() const;
    /// The names that the selected parameter's alikes share: what to offer as a pattern.
    QString suggestedPattern() const;
    /// Puts the order into the current plan, for all parameters that match `pattern`, as one edit that can be undone.
    /// An entry with this pattern is replaced.
    void takeOrder(const QString& pattern);
    /// Gives the plan's entry at `row` another pattern, with the saving that is expected then, as one edit.
    void changePattern(int row, const QString& pattern);
    /// Takes the plan's entry at `row` out of it, as one edit.
    void removeOrder(int row);
    /// Shows the first parameter that the plan's entry at `row` counts for, in that order.
    void showOrder(int row);
    /// Asks for the pattern in a dialog over `window` and takes the order; shows the reason where it is refused.
    void askAndTakeOrder(QWidget* window);

  signals:
    /// A sentence on what was done or why it was not.
    void told(const QString& sentence);
    /// Why placements could not be opened.
    void failed(const QString& reason);

  private:
    /// What is found of the open graph in the background; nothing before that.
    struct Found {
        std::shared_ptr<const ComparedChains> compared;
        std::shared_ptr<const GraphLinks> links;  ///< the meshes that they are redistributed over
    };

    void findChains();
    void rememberFormer();
    /// @param rows of the graph that is open now.
    void replaceFormer(const std::vector<MeshParameter>& rows);
    void show(Found found);
    /// Lists what was found and what placements redistribute: rows, of which there may be a hundred thousand, are made
    /// in the background.
    void listRows();
    /// Tells the view what the current plan has, and what could be done.
    void showOrders();
    void showRefusal();
    void showLinks();
    void askForPattern(int row);
    const ParameterChains* selected() const;
    /// The alternative that the view's source is, or nullptr.
    const OrderAlternative* shownOrder() const;

    Document& document_;
    MeshView& view_;
    std::shared_ptr<const Graph> searched_;  ///< that chains were looked for in
    Found found_;
    /// What the view shows of a graph that is no longer open: a parameter's name and inputs. Another takes its place as
    /// soon as the parameters of the next one are known.
    std::optional<MeshParameter> former_;
    std::shared_ptr<const ShardingDocument> placements_;
    QString selected_;
    LatestTask task_, placements_task_, rows_task_;
};

}  // namespace overlap::ui
