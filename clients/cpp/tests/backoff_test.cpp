// The schedule by which a bot dials again, without a clock.
#include "backoff.h"

#include <gtest/gtest.h>

#include <vector>

namespace fairdeal {
namespace {

double full() { return 0; }
double half() { return 1; }

/// Return all delays, when each attempt fails at once.
std::vector<double> delays(Backoff backoff, double now = 0) {
  std::vector<double> found;
  while (const auto delay = backoff.next_delay(now)) {
    found.push_back(*delay);
    now += *delay;
  }
  return found;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_GE(found.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-9) << i;
}

TEST(Backoff, DelaysDoubleUpToTheLongest) {
  expect_near(delays(Backoff(0, 60, Backoff::kLongestDelay, full)), {0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5});
  expect_near(delays(Backoff(0, 10, 1, full)), {0.1, 0.2, 0.4, 0.8, 1, 1});
}

TEST(Backoff, EachIsShortenedByUpToAHalf) {
  EXPECT_NEAR(*Backoff(0, 1, 5, half).next_delay(0), 0.05, 1e-9);
  for (int i = 0; i < 100; ++i) {
    const double delay = *Backoff(0, 1).next_delay(0);
    EXPECT_GE(delay, 0.05);
    EXPECT_LE(delay, 0.1);
  }
}

TEST(Backoff, AttemptsEndWithTheTimeForThem) {
  double total = 100;
  for (const double delay : delays(Backoff(100, 60, 5, full), 100)) total += delay;
  EXPECT_GE(total, 155);
  EXPECT_LT(total, 160);
  EXPECT_FALSE(Backoff(100, 60).next_delay(1000));
  EXPECT_FALSE(Backoff(0, 0, 5, full).next_delay(0));
  EXPECT_FALSE(Backoff(0, 0.1, 5, full).next_delay(0));
}

TEST(Backoff, TheTimeLeftIsKnown) {
  const Backoff backoff(100, 60);
  EXPECT_EQ(backoff.left(130), 30);
  EXPECT_EQ(backoff.left(170), 0);
}

TEST(Backoff, ASessionGivesTimeAndOneThatLastedShortDelaysToo) {
  Backoff backoff(0, 1, 5, full);
  backoff.next_delay(0);
  backoff.next_delay(0);
  backoff.restart(50, 10, Backoff::kLasting - 0.01);
  EXPECT_EQ(backoff.left(50), 10);
  EXPECT_NEAR(*backoff.next_delay(50), 0.4, 1e-9);
  backoff.restart(90, 10, Backoff::kLasting);
  EXPECT_NEAR(*backoff.next_delay(90), 0.1, 1e-9);
}

}  // namespace
}  // namespace fairdeal
