/* Every format that is read. Adding one is a file and a line here; on equal certainty the earlier one wins. */
#include "probes/import/format.h"

#include "advisor/base/banned.h"

const struct import_format *const import_formats[] = {
    &import_nvme_smart,
    &import_nvme_smart_json,
    &import_nvme_ctrl,
    &import_nvme_ctrl_json,
    &import_nvme_ns,
    &import_nvme_ns_json,
    &import_nvme_list,
    &import_nvme_list_json,
    &import_nvme_errors,
    &import_nvme_errors_json,
    &import_nvme_firmware,
    &import_nvme_firmware_json,
    &import_nvme_feature,
    &import_nvme_tests,
    &import_nvme_tests_json,
    &import_nvme_sanitize,
    &import_nvme_sanitize_json,
    &import_lspci,
    &import_smartctl,
    &import_smartctl_json,
    &import_intel,
    &import_intel_json,
    &import_smart_add,
    &import_smart_add_json,
    &import_ocp,
    &import_ocp_json,
    &import_storage,
    &import_storage_json,
};
const size_t import_n_formats = ARRAY_LEN(import_formats);
