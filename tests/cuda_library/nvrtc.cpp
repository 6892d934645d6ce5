// SPDX-License-Identifier: MIT
// NVRTC's functions: an image is the architecture that was asked for and the source's kernel; nothing is compiled.
#include <cstddef>
#include <cstring>
#include <string>

namespace {

struct Program {
  std::string source, image;
};
std::string log_of_failure;
int headers_given = 0;
Program& of(void* p) { return *static_cast<Program*>(p); }
int copy(const std::string& from, char* to) { return std::memcpy(to, from.c_str(), from.size() + 1), 0; }

}  // namespace

extern "C" {

// What tests ask of this library: no failure where the text is empty.
void fake_compiler(const char* log) { log_of_failure = log; }
int fake_headers() { return headers_given; }

int nvrtcVersion(int* major, int* minor) { return *major = 13, *minor = 7, 0; }
int nvrtcGetNumSupportedArchs(int* count) { return *count = 2, 0; }
int nvrtcGetSupportedArchs(int* all) { return all[0] = 80, all[1] = 90, 0; }
int nvrtcCreateProgram(void** program, const char* source, const char*, int headers, const char* const*,
                       const char* const*) {
  headers_given = headers;
  *program = new Program{source, ""};
  return 0;
}
int nvrtcDestroyProgram(void** program) { return delete static_cast<Program*>(*program), 0; }
int nvrtcCompileProgram(void* program, int count, const char* const* options) {
  for (int i = 0; i < count; ++i)
    if (const char* at = std::strstr(options[i], "architecture=")) of(program).image = at + 13;
  return log_of_failure.empty() ? 0 : 6;
}
int nvrtcGetProgramLogSize(void*, std::size_t* bytes) { return *bytes = log_of_failure.size() + 1, 0; }
int nvrtcGetProgramLog(void*, char* text) { return copy(log_of_failure, text); }
int nvrtcGetCUBINSize(void* program, std::size_t* bytes) { return *bytes = of(program).image.size() + 1, 0; }
int nvrtcGetCUBIN(void* program, char* image) { return copy(of(program).image, image); }
int nvrtcGetPTXSize(void* program, std::size_t* bytes) { return nvrtcGetCUBINSize(program, bytes); }
int nvrtcGetPTX(void* program, char* image) { return nvrtcGetCUBIN(program, image); }
}
