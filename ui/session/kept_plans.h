#pragma once

#include <QStringList>
#include <vector>

#include "ui/document/document.h"
#include "ui/session/session_state.h"

namespace overlap::ui {

class EarlyHistories;
class FileLooks;

/// A plan of the session that is opened again, followed by the version in its file, where both differ and the kept one
/// has edits.
/// @param beside what else of the graph is open or was closed: the file's version is not opened again where it is among
/// them, nor told of again.
/// @param told gets a sentence where the plan is not in its last state, such as when its file was changed meanwhile, or
/// where what was edited can no longer be undone.
/// @param folder of the session, where histories are; empty where there is none.
/// @param early histories that were read before; may be nullptr.
/// @throws InputError when the plan is not one for this graph.
std::vector<RestoredVariant> restoreKeptPlan(const SessionVariant& kept, const LoadedGraph& loaded, FileLooks& looks,
                                             const std::vector<SessionVariant>& beside, QStringList& told,
                                             const QString& folder = {}, const EarlyHistories* early = nullptr);

}  // namespace overlap::ui
