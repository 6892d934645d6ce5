// SPDX-License-Identifier: MIT
// The source of a target that exists for its precompiled header.
