// What archives of Debian ask for by a way that is open to a program alone: see CMakeLists.txt. 0: there may
// be several threads.
extern "C" __attribute__((visibility("hidden"))) char __libc_single_threaded;
char __libc_single_threaded = 0;
