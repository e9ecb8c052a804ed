#include "app/runner/found_devices.h"

#include <cstdint>
#include <map>
#include <string>

#include "app/runner/device_support.h"
#include "app/runner/mpi_support.h"
#include "core/base/error.h"
#include "core/files/json_writer.h"

namespace overlap::runner {

namespace {

void write_devices(JsonWriter& json) {
    std::string reason;
    json.key("devices").begin_array();
    try {
        for (const cuda::Device& device : device_support().find_devices()) {
            json.begin_object();
            json.member("index", std::int64_t{device.index});
            json.member("name", std::string_view(device.name));
            json.member("memory_bytes", device.memory_bytes);
            json.member("multiprocessors", std::int64_t{device.multiprocessors});
            const std::string capability =
                std::to_string(device.compute_major) + "." + std::to_string(device.compute_minor);
            json.member("compute_capability", std::string_view(capability));
            json.end_object();
        }
    } catch (const InputError& error) {
        reason = error.what();
    }
    json.end_array();
    if (!reason.empty()) json.member("reason", std::string_view(reason));
}

/// None where the module cannot be loaded: the reason is with the devices.
void write_libraries(JsonWriter& json) {
    std::map<std::string, std::string> versions;
    try {
        versions = device_support().library_versions();
    } catch (const InputError&) {
    }
    json.key("libraries").begin_object();
    for (const auto& [name, version] : versions) json.member(name, std::string_view(version));
    json.end_object();
}

/// None where MPI cannot be loaded.
std::string mpi_version() {
    try {
        return mpi_library_version();
    } catch (const InputError&) {
        return {};
    }
}

}  // namespace

std::string found_devices_json() {
    JsonWriter json;
    json.begin_object();
    json.member("format", "overlap-devices");
    json.member("version", std::int64_t{1});
    json.member("program", OVERLAP_VERSION);
    write_devices(json);
    write_libraries(json);
    json.member("mpi", std::string_view(mpi_version()));
    json.end_object();
    return json.take();
}

}  // namespace overlap::runner
