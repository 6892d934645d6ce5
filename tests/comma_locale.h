// SPDX-License-Identifier: MIT
// A locale with a decimal comma for the duration of a test.
#pragma once
#include <clocale>
#include <cstdio>
#include <initializer_list>

/// Sets the first installed locale in which C's functions write numbers with a comma; restores the locale "C"
/// afterwards, which tests run in.
struct CommaLocale {
  CommaLocale() {
    for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8", "es_ES.UTF-8", "ru_RU.UTF-8"})
      if (std::setlocale(LC_NUMERIC, name)) return;
    std::printf("  without a locale with a decimal comma\n");
  }
  CommaLocale(const CommaLocale&) = delete;
  CommaLocale& operator=(const CommaLocale&) = delete;
  ~CommaLocale() { std::setlocale(LC_NUMERIC, "C"); }
};
