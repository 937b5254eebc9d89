// A test in an environment without settings, whose bots keep nothing.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace fairdeal::testing {

class CleanEnvironment : public ::testing::Test {
 protected:
  CleanEnvironment() { clear(); }
  ~CleanEnvironment() override { clear(); }

  /// Set FAIRDEAL_NAME for this test.
  static void set(const std::string& name, const std::string& value) {
    setenv(("FAIRDEAL_" + name).c_str(), value.c_str(), 1);
  }

 private:
  static void clear() {
    for (const char* name : {"ADDRESS", "TOKEN", "ENTRY", "INSTANCE", "SEED", "CA", "CERT", "KEY"}) {
      unsetenv((std::string("FAIRDEAL_") + name).c_str());
    }
    set("KEEP", "");
  }
};

}  // namespace fairdeal::testing
