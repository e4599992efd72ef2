#pragma once

#include <nanobind/nanobind.h>

#include "lance/dataset.h"

namespace lance::python {

/// FragmentInfo, DataFileInfo, DeletionFileInfo, VersionInfo, TagInfo, IoCounters: plain values.
void BindRecords(nanobind::module_& module);
/// ScanOptions, WriteOptions and their enumerations.
void BindOptions(nanobind::module_& module);
/// Blob, RowKey.
void BindBlob(nanobind::module_& module);
/// Dataset and BatchReader.
void BindDataset(nanobind::module_& module);
/// The methods of Dataset that change a table, by file.
void BindReferences(nanobind::class_<Dataset>& dataset);
void BindMove(nanobind::module_& module);
void BindChanges(nanobind::class_<Dataset>& dataset);
void BindRows(nanobind::module_& module, nanobind::class_<Dataset>& dataset);
void BindUpkeep(nanobind::class_<Dataset>& dataset);
void BindTransactions(nanobind::module_& module, nanobind::class_<Dataset>& dataset);
/// Filters made by pyarrow.
void BindFilters(nanobind::module_& module);
/// FileReader, FileWriter and what they tell about a file.
void BindFile(nanobind::module_& module);

}  // namespace lance::python
