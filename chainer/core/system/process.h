// SPDX-License-Identifier: MIT
// Identification of the process that made a file. Process numbers are reused, and are only valid on one machine and in
// one container.
#pragma once
#include <string>
#include <string_view>

namespace chainer {

/// Returns "<place>-<process>-<start>": 8 hexadecimal digits for the machine's boot and the container's process
/// namespace, then the number and start time of this process. The place is 00000000 if the system does not report it.
std::string process_tag();
/// Returns true if a text begins with the tag of a process that has ended. Returns false for processes of other places,
/// whose state is not known.
bool begins_with_tag_of_ended_process(std::string_view text);
/// Returns true if a text begins with a tag of this machine and container, so that the end of its process is noticed.
bool begins_with_tag_of_this_place(std::string_view text);

}  // namespace chainer
