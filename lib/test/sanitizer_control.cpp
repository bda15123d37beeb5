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

volatile int number = 4;  // which no compiler knows
int* volatile lost = nullptr;

void overrun() {
  const auto values = std::make_unique<int[]>(4);
  values[static_cast<std::size_t>(number)] = 1;
}

void leak() {
  lost = new int[4];
  lost = nullptr;
}

void overflow() {
  number = INT_MAX;
  number = number + 1;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string mistake = count > 1 ? arguments[1] : "";
  if (mistake == "race") race();
  if (mistake == "overrun") overrun();
  if (mistake == "leak") leak();
  if (mistake == "overflow") overflow();
}
