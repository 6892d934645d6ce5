// SPDX-License-Identifier: MIT
// Functions of glibc whose current versions are newer than 2.28, for modules that load with any glibc from 2.28 on.
// Each is defined here, hidden, and calls its old version, which newer glibcs keep. The C++ library is linked
// statically, so its calls are resolved here, too. tests/check_wheel fails if a wheel needs a version above 2.28.
extern "C" {

#define CHAINER_HIDDEN __attribute__((visibility("hidden")))
#define CHAINER_OLD(RESULT, NAME, PARAMETERS, ARGUMENTS) \
  RESULT old_##NAME PARAMETERS;                          \
  asm(".symver old_" #NAME "," #NAME "@GLIBC_2.2.5");    \
  CHAINER_HIDDEN RESULT NAME PARAMETERS { return old_##NAME ARGUMENTS; }

// The versions since 2.29 set errno in another way.
CHAINER_OLD(double, exp, (double x), (x))
CHAINER_OLD(double, log, (double x), (x))
CHAINER_OLD(double, log2, (double x), (x))
CHAINER_OLD(double, pow, (double x, double y), (x, y))
CHAINER_OLD(double, hypot, (double x, double y), (x, y))

// In libdl and libpthread before 2.34.
CHAINER_OLD(void*, dlopen, (const char* name, int flags), (name, flags))
CHAINER_OLD(void*, dlsym, (void* library, const char* name), (library, name))
CHAINER_OLD(char*, dlerror, (), ())
CHAINER_OLD(int, pthread_create, (unsigned long* thread, const void* attributes, void* (*start)(void*), void* argument),
            (thread, attributes, start, argument))
CHAINER_OLD(int, pthread_detach, (unsigned long thread), (thread))
CHAINER_OLD(int, pthread_join, (unsigned long thread, void** result), (thread, result))
CHAINER_OLD(int, pthread_mutex_trylock, (void* mutex), (mutex))
CHAINER_OLD(int, pthread_once, (int* control, void (*routine)()), (control, routine))
CHAINER_OLD(int, pthread_sigmask, (int how, const void* set, void* old), (how, set, old))

// Before 2.33 these are calls of a function with the version of the structure, 1 on x86-64.
#define CHAINER_STATUS(NAME, OLD_NAME, FILE)              \
  int OLD_NAME(int version, FILE file, void* status);     \
  asm(".symver " #OLD_NAME "," #OLD_NAME "@GLIBC_2.2.5"); \
  CHAINER_HIDDEN int NAME(FILE file, void* status) { return OLD_NAME(1, file, status); }
CHAINER_STATUS(stat, __xstat, const char*)
CHAINER_STATUS(lstat, __lxstat, const char*)
CHAINER_STATUS(fstat, __fxstat, int)
CHAINER_STATUS(fstat64, __fxstat64, int)

// Since 2.30, called by std::condition_variable::wait_for(). The condition has the system's clock, so the time that is
// left on the other clock is added to it.
struct Moment {
  long seconds, nanoseconds;
};
int clock_gettime(int clock, Moment* time);
int pthread_cond_timedwait(void* condition, void* mutex, const Moment* until);
CHAINER_HIDDEN int pthread_cond_clockwait(void* condition, void* mutex, int clock, const Moment* until) {
  Moment there, here;
  clock_gettime(clock, &there);
  clock_gettime(0, &here);
  here.seconds += until->seconds - there.seconds;
  here.nanoseconds += until->nanoseconds - there.nanoseconds;
  if (here.nanoseconds < 0) here.seconds -= 1, here.nanoseconds += 1000000000;
  if (here.nanoseconds >= 1000000000) here.seconds += 1, here.nanoseconds -= 1000000000;
  return pthread_cond_timedwait(condition, mutex, &here);
}

// Since 2.36, called by std::random_device.
int getentropy(void* bytes, unsigned long count);
[[noreturn]] void abort();
CHAINER_HIDDEN unsigned arc4random() {
  unsigned number;
  if (getentropy(&number, sizeof number) != 0) abort();
  return number;
}

// Since 2.32: a promise that the process has one thread, which is not made here.
CHAINER_HIDDEN char __libc_single_threaded = 0;
}
