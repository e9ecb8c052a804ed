#include "core/cost/built_in_cost_models.h"

#include <algorithm>

namespace overlap {

namespace {

/// One row of the data sheets. Rates of dense products in 10^12 operations a second; others in 10^9 bytes a second.
struct Device {
    std::string_view name, device_name, links;
    double half, eight_bit, single, full_double;   ///< bfloat16 and float16; float8 (0: none); float32; float64
    double memory, holds;                          ///< bandwidth, and 10^9 bytes that the device holds
    double gpu_link, network;                      ///< one direction, of one GPU
    double host_link;                              ///< PCIe x16, one direction
    double gpu_link_efficiency, switch_reduction;  ///< see Cluster
    double matrix_multiply, attention;             ///< efficiencies
};

constexpr double tera = 1e12, giga = 1e9;
/// Copies within an H100's memory (tests/data/published_runs/devices.json).
constexpr double memory_efficiency = 0.87;
constexpr double convolution_efficiency = 0.5;
/// Large copies from pinned memory over PCIe.
constexpr double host_link_efficiency = 0.85;
/// The one device for which published runs were predicted (docs/predictions.md).
constexpr std::string_view checked_device = "h100-96gb-500w";
constexpr std::string_view checked_with = "four published runs of llama3 8B and 70B on 8 to 256 GPUs, within 3.2 %";
constexpr double checked_within = 0.032;
/// Start and end of a kernel that compute waits for.
constexpr double kernel_overhead_ms = 0.002;

constexpr Device devices[] = {
    {"a100-sxm", "NVIDIA A100 SXM 80GB", "NVLink 3 (300 GB/s a direction), 200 Gbit/s a GPU", 312, 0, 19.5, 19.5, 2039,
     80, 300, 25, 32, 0.78, 0, 0.75, 0.55},
    {"h100-sxm", "NVIDIA H100 SXM 80GB", "NVLink 4 (450 GB/s a direction), 400 Gbit/s a GPU", 989, 1979, 67, 67, 3350,
     80, 450, 50, 64, 0.80, 0.60, 0.65, 0.40},
    {"h100-96gb-500w", "NVIDIA H100 96GB HBM2e 500W", "NVLink 4 (450 GB/s a direction), 400 Gbit/s a GPU", 989, 1979,
     67, 67, 2400, 96, 450, 50, 64, 0.80, 0.60, 0.514, 0.31},
    {"h200-sxm", "NVIDIA H200 SXM 141GB", "NVLink 4 (450 GB/s a direction), 400 Gbit/s a GPU", 989, 1979, 67, 67, 4800,
     141, 450, 50, 64, 0.81, 0.60, 0.65, 0.40},
    {"mi300x", "AMD Instinct MI300X", "xGMI (7 x 64 GB/s a direction), 400 Gbit/s a GPU", 1307, 2600, 163.4, 163.4,
     5300, 192, 448, 50, 64, 0.70, 0, 0.50, 0.35},
    {"b200-sxm", "NVIDIA B200 SXM 180GB", "NVLink 5 (900 GB/s a direction), 400 Gbit/s a GPU", 2250, 4500, 75, 37, 7700,
     180, 900, 50, 64, 0.76, 0.53, 0.65, 0.40},
};

NamedCostModel model_of(const Device& device) {
    NamedCostModel model;
    model.name = device.name;
    model.description = "Estimate from published figures, not measured: ";
    model.description.append(device.device_name).append(", 8 to a node, ").append(device.links);
    model.origin.kind = "published_figures";
    if (device.name == checked_device) {
        model.origin.checked = checked_with;
        model.origin.checked_within = checked_within;
    }
    model.device_name = device.device_name;
    model.flops_per_s = {{"bfloat16", device.half * tera},
                         {"float16", device.half * tera},
                         {"float32", device.single * tera},
                         {"float64", device.full_double * tera}};
    if (device.eight_bit > 0) {
        model.flops_per_s["float8_e4m3fn"] = device.eight_bit * tera;
        model.flops_per_s["float8_e5m2"] = device.eight_bit * tera;
    }
    model.memory_bytes_per_s = device.memory * giga;
    model.classes = {{"matrix_multiply", {device.matrix_multiply, kernel_overhead_ms}},
                     {"attention", {device.attention, kernel_overhead_ms}},
                     {"convolution", {convolution_efficiency, kernel_overhead_ms}},
                     {"memory", {memory_efficiency, kernel_overhead_ms}}};
    model.memory_bytes = static_cast<std::int64_t>(device.holds * giga);
    model.host_link_bytes_per_s = device.host_link * giga * host_link_efficiency;
    model.cluster = Cluster{.gpu_link_bytes_per_s = device.gpu_link * giga,
                            .gpu_link_efficiency = device.gpu_link_efficiency,
                            .switched = !device.name.starts_with("mi"),
                            .switch_reduction = device.switch_reduction,
                            .card_bytes_per_s = device.network * giga};
    model.contention = NamedCostModel::Contention{{}, 0, true};
    return model;
}

}  // namespace

std::span<const NamedCostModel> built_in_cost_models() {
    static const std::vector<NamedCostModel> models = [] {
        std::vector<NamedCostModel> made;
        for (const Device& device : devices) made.push_back(model_of(device));
        return made;
    }();
    return models;
}

const NamedCostModel* built_in_cost_model(std::string_view name) {
    const auto models = built_in_cost_models();
    const auto found = std::ranges::find(models, name, &NamedCostModel::name);
    return found == models.end() ? nullptr : &*found;
}

const NamedCostModel* built_in_cost_model(const CostParameters& cost) {
    const NamedCostModel* model = built_in_cost_model(cost.model_name);
    const auto same = [](const CostParameters::ClassCost& left, const CostParameters::ClassCost& right) {
        return left.efficiency == right.efficiency && left.overhead_ms == right.overhead_ms;
    };
    if (!model || cost.flops_per_s != model->flops_per_s || cost.memory_bytes_per_s != model->memory_bytes_per_s)
        return nullptr;
    for (const auto& [name, of_class] : model->classes) {
        const auto found = cost.classes.find(name);
        if (found == cost.classes.end() || !same(found->second, of_class)) return nullptr;
    }
    return model;
}

}  // namespace overlap
