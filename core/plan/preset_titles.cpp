#include "core/plan/preset_titles.h"

#include <tuple>

#include "core/plan/presets.h"

namespace overlap {

static_assert(std::tuple_size_v<decltype(preset_names)> == std::tuple_size_v<decltype(preset_titles)>);

std::string with_preset_titles(std::string text) {
    for (std::size_t preset = 0; preset < preset_names.size(); ++preset) {
        const std::string& name = preset_names[preset];
        for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at))
            text.replace(at, name.size(), preset_titles[preset]);
    }
    return text;
}

}  // namespace overlap
