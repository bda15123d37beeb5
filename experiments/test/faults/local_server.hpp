#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

/// What a server does with a request.
struct Answer {
  std::string bytes;    ///< sent as they stand, status line and headers among them
  bool hang_up = true;  ///< false: the connection stays open and silent
};

/// A reply with headers that fit its body.
Answer reply(const std::string& status, const std::string& body, const std::string& more_headers = "");

/// A web server on the loopback interface, on a port of its own, that answers as a test tells it to.
class LocalServer {
 public:
  explicit LocalServer(std::function<Answer(const std::string& path)> answer);
  LocalServer(const LocalServer&) = delete;
  LocalServer& operator=(const LocalServer&) = delete;
  ~LocalServer();

  std::string url(const std::string& path) const;
  std::vector<std::string> requests() const;  ///< paths asked for so far

 private:
  void serve();
  void answer_one(int connection);

  std::function<Answer(const std::string&)> answer_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> stopping_{false};
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  std::vector<int> silent_;  // connections that stay open; the thread's own
  std::thread thread_;
};

/// A port of the loopback interface at which nobody answers, as long as this lives.
class ClosedPort {
 public:
  ClosedPort();
  ClosedPort(const ClosedPort&) = delete;
  ClosedPort& operator=(const ClosedPort&) = delete;
  ~ClosedPort();
  int number() const { return port_; }

 private:
  int socket_ = -1;
  int port_ = 0;
};
