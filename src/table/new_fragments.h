#pragma once

#include <set>
#include <vector>

#include "table/next_version.h"

namespace lance {

/// Adds fragments that a transaction brings. Those without an id get one above every id used
/// before; with stable row ids, rows without an id get the next ones. A fragment that brings fewer
/// ids than rows has moved rows first, then new ones; `sources` are the fragments of the newest
/// version that its rows may have been moved from. Returns the fragments as added.
Result<std::vector<table::DataFragment>> AddNewFragments(std::vector<table::DataFragment> fragments,
                                                         const std::set<uint64_t>& sources,
                                                         NextVersion* next);

/// Checks that a data file may be in the table and that it has the base path that the file lies in,
/// and notes whether its version is another one.
Status CheckDataFile(const table::DataFile& file, NextVersion* next);

}  // namespace lance
