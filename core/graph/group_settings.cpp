#include "core/graph/group_settings.h"

#include "core/graph/json_members.h"

namespace overlap {

GroupSettings settings_of(const ProcessGroup& group) {
    GroupSettings settings;
    settings.group = group.name;
    settings.high_priority = json_member(group.extra_json, "high_priority_stream") == "true";
    return settings;
}

}  // namespace overlap
