// SPDX-License-Identifier: MIT
// Functions of glibc whose current versions are newer than 2.28, for modules that must load with any glibc from 2.28
// on: each is defined here, hidden, and calls its old version, which newer glibcs keep. (The C++ library is linked
// statically, so its calls come here, too.) tests/check_wheel fails if a version above 2.28 is needed.
extern "C" {

#define CHAINER_OLD(VERSION, RESULT, NAME, PARAMETERS, ARGUMENTS) \
  RESULT old_##NAME PARAMETERS;                                   \
  asm(".symver old_" #NAME "," #NAME "@GLIBC_" VERSION);          \
  __attribute__((visibility("hidden"))) RESULT NAME PARAMETERS { return old_##NAME ARGUMENTS; }

// Without the handling of errors of SVID since 2.29.
CHAINER_OLD("2.2.5", double, exp, (double x), (x))
CHAINER_OLD("2.2.5", double, log, (double x), (x))
CHAINER_OLD("2.2.5", double, log2, (double x), (x))
CHAINER_OLD("2.2.5", double, pow, (double x, double y), (x, y))

// In libdl and libpthread before 2.34.
CHAINER_OLD("2.2.5", void*, dlopen, (const char* name, int flags), (name, flags))
CHAINER_OLD("2.2.5", void*, dlsym, (void* library, const char* name), (library, name))
CHAINER_OLD("2.2.5", char*, dlerror, (), ())
CHAINER_OLD("2.2.5", int, pthread_mutex_trylock, (void* mutex), (mutex))
CHAINER_OLD("2.2.5", int, pthread_sigmask, (int how, const void* set, void* old), (how, set, old))

// Inline calls of these until 2.33.
#define CHAINER_STAT(NAME, FILE)                  \
  int NAME(int version, FILE file, void* status); \
  asm(".symver " #NAME "," #NAME "@GLIBC_2.2.5");
CHAINER_STAT(__xstat, const char*)
CHAINER_STAT(__fxstat, int)
__attribute__((visibility("hidden"))) int stat(const char* file, void* status) { return __xstat(1, file, status); }
__attribute__((visibility("hidden"))) int fstat(int file, void* status) { return __fxstat(1, file, status); }

// Since 2.32: whether reference counts need no atomic operations.
__attribute__((visibility("hidden"))) char __libc_single_threaded = 0;
}
