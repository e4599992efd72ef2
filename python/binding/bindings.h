#pragma once

#include <nanobind/nanobind.h>

namespace lance::python {

/// FragmentInfo, DataFileInfo, DeletionFileInfo, VersionInfo, TagInfo, IoCounters: plain values.
void BindRecords(nanobind::module_& module);
/// ScanOptions, WriteOptions.
void BindOptions(nanobind::module_& module);
/// Dataset and BatchReader.
void BindDataset(nanobind::module_& module);
/// FileReader, FileWriter and what they tell about a file.
void BindFile(nanobind::module_& module);

}  // namespace lance::python
