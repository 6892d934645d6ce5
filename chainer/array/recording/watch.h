// What a recording of array operations hears of (recorder.h): where nobody records, each of these is one look at a
// counter.
#pragma once
#include <atomic>
#include <string_view>

namespace chainer {

class Backend;
struct ArrayBody;

namespace recording {

/// How many threads record at the moment.
inline constinit std::atomic<int> running{0};
inline bool any() { return running.load(std::memory_order_relaxed) != 0; }

// Called only where any() is true. On a thread that does not record, and inside of a step that is being recorded, they
// do nothing.

/// The backend that calls go to: `real`, or the recorder in front of it.
Backend& door(Backend& real);
/// Elements are about to be read, or written, through a pointer.
void host_reads(const ArrayBody& body);
void host_writes(ArrayBody& body);
/// An array that owns its memory was made.
void made(ArrayBody& body);
/// What happens now cannot happen again in a replay: the recording comes to nothing, for this reason.
void refuse(std::string_view why);

/// An array that was made while somebody recorded goes.
void gone(const ArrayBody& body);

}  // namespace recording
}  // namespace chainer
