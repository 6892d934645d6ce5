// SPDX-License-Identifier: MIT
// Runs the programs of the guide: each in a process and a folder of its own, its output against the page.
#pragma once
#include "test.h"

namespace guide {

/// Runs a program. `output` is what it must print, or nullptr. Numbers with a point may differ by one percent or 0.002,
/// since the last digits of a training run depend on the processor. With GUIDE_OUT=FOLDER the files that the program
/// writes stay in FOLDER/name. A program that meets a MissingPartError, in a build without a library, is left out.
void run(void (*program)(), const char* name, const char* output);

}  // namespace guide
