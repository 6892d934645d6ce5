// One text for many readers.
#pragma once
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <string_view>

namespace chainer::live {

/// Sends texts to all who listen. The thread that has a text sends it to everybody, while the readers' own threads
/// sleep: a system that wakes hundreds of threads for each text takes the processor from the training.
class Broadcast {
 public:
  /// Sends a text to one reader; false where the reader has gone.
  using Send = std::function<bool(std::string_view)>;
  /// Sends the greeting, then what send() is given from now on. It returns at the end, where the reader has gone, and
  /// where a text took longer than a tenth of a second: a reader who takes nothing would keep the others waiting.
  void listen(std::string_view greeting, const Send& to);
  void send(std::string_view text);
  /// Ends listen() of all readers, of later ones, too.
  void end();

 private:
  struct Reader {
    explicit Reader(const Send& s) : send(s) {}
    const Send& send;
    bool gone = false;
    std::condition_variable woken;
  };
  std::mutex mutex_;
  std::list<Reader> readers_;
  bool ended_ = false;
};

}  // namespace chainer::live
