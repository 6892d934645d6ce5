// SPDX-License-Identifier: MIT
#include "test.h"

int main(int argc, char** argv) { return test::main(argc, argv); }
