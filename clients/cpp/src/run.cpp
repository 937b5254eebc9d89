#include "fairdeal/run.h"

#include <grpc/support/log.h>

#include <cstdlib>
#include <exception>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "connection.h"
#include "fairdeal/errors.h"
#include "log.h"
#include "player.h"
#include "settings.h"
#include "signals.h"

namespace fairdeal {
namespace {

class Function final : public Bot {
 public:
  explicit Function(std::function<Answer(const Decision&)> act) : act_(std::move(act)) {}
  Answer act(const Decision& decision) override { return act_(decision); }

 private:
  std::function<Answer(const Decision&)> act_;
};

/// Keep gRPC from writing lines of its own where ours say it all, unless the user has asked for them.
void quieten() {
  if (!std::getenv("GRPC_VERBOSITY")) gpr_set_log_verbosity(static_cast<gpr_log_severity>(GPR_LOG_SEVERITY_ERROR + 1));
}

}  // namespace

void run(Bot& bot, const Options& options) {
  const Settings settings = settle(options);
  quieten();
  Connection connection(settings, bot.wants_events());
  try {
    const Signals signals([&connection] { connection.finish(); }, [&connection] { connection.stop(); });
    const std::jthread network([&connection] { connection.run(); });
    play(connection, bot, options.play_forced);
  } catch (const std::system_error& error) {
    throw BadSetting(std::string("this process cannot run a bot: ") + error.what());
  }
}

void run(std::function<Answer(const Decision&)> act, const Options& options) {
  Function bot(std::move(act));
  run(bot, options);
}

int run_program(const char* path, const std::function<void()>& program) {
  const std::string_view name = std::string_view(path).substr(std::string_view(path).rfind('/') + 1);
  const auto fail = [&](const std::exception& error, int status) {
    log_line(error.what(), std::string(name));
    return status;
  };
  try {
    program();
  } catch (const BadSetting& error) {
    return fail(error, 2);
  } catch (const std::exception& error) {
    return fail(error, 1);
  }
  return 0;
}

}  // namespace fairdeal
