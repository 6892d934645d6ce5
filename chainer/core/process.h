// Which process made a file: numbers of processes come again, and mean something on one machine, in one container,
// only.
#pragma once
#include <string>
#include <string_view>

namespace chainer {

/// "<place>-<process>-<start>": the machine's boot and the container's space of process numbers in 8 hexadecimal
/// digits, and the process's number and start. The place is 00000000 where the system does not tell it.
std::string process_tag();
/// Whether a text begins with the tag of a process of this place that has ended. Of processes elsewhere nobody here
/// knows: they may live.
bool begins_with_tag_of_ended_process(std::string_view text);

}  // namespace chainer
