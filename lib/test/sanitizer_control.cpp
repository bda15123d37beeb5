// Makes the mistake that its argument names, which a sanitized build must report: a suite that passes under a
// sanitizer shows nothing if the sanitizer does not watch.
#include <climits>
#include <memory>
#include <string>
#include <thread>

namespace {

void race() {
  int shared = 0;
  std::thread other([&shared] { ++shared; });
  ++shared;
  other.join();
}

void overrun(volatile int index) {
  const auto values = std::make_unique<int[]>(4);
  values[static_cast<std::size_t>(index)] = 1;
}

void leak() {
  int* volatile lost = new int[4];
  lost = nullptr;
}

void overflow(volatile int number) { number = number + 1; }

}  // namespace

int main(int count, char** arguments) {
  const std::string mistake = count > 1 ? arguments[1] : "";
  if (mistake == "race") race();
  if (mistake == "overrun") overrun(4);
  if (mistake == "leak") leak();
  if (mistake == "overflow") overflow(INT_MAX);
}
