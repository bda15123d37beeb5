#pragma once

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "lacp/base/descriptor.hpp"

/// What a server does with a request.
struct Answer {
  std::string bytes;    ///< sent as they stand, status line and headers among them
  bool hang_up = true;  ///< false: the connection stays open and silent
};

/// A reply with headers that fit its body.
inline Answer reply(const std::string& status, const std::string& body,
                    const std::string& more_headers = "") {
  return {fmt::format("HTTP/1.1 {}\r\nContent-Length: {}\r\nConnection: close\r\n{}\r\n{}", status,
                      body.size(), more_headers, body)};
}

/// A web server on a port of the loopback interface that answers as a test tells it to.
class LocalServer {
 public:
  explicit LocalServer(std::function<Answer(const std::string& path)> answer)
      : answer_(std::move(answer)), socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (!socket_.is_open() || ::bind(socket_.get(), generic, size) != 0 ||
        ::getsockname(socket_.get(), generic, &size) != 0 || ::listen(socket_.get(), 16) != 0)
      throw std::runtime_error("no port of the loopback interface for the test");
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~LocalServer() {
    stopping_ = true;
    ::shutdown(socket_.get(), SHUT_RDWR);  // ends the wait in accept
    thread_.join();
  }

  std::string url(const std::string& path) const { return fmt::format("http://127.0.0.1:{}{}", port_, path); }

 private:
  void serve() {
    while (!stopping_) {
      lacp::Descriptor connection(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (connection.is_open()) answer_one(std::move(connection));
    }
  }

  void answer_one(lacp::Descriptor connection) {
    std::string request;
    char buffer[4096];
    while (request.find("\r\n\r\n") == std::string::npos) {
      const ssize_t got = ::recv(connection.get(), buffer, sizeof buffer, 0);
      if (got <= 0) break;
      request.append(buffer, static_cast<std::size_t>(got));
    }
    const std::size_t begin = request.find(' ') + 1, end = request.find(' ', begin);
    const Answer answer = answer_(request.substr(begin, end - begin));
    std::string_view left = answer.bytes;
    while (!left.empty()) {
      const ssize_t sent = ::send(connection.get(), left.data(), left.size(), MSG_NOSIGNAL);
      if (sent <= 0) break;  // the other side has had enough
      left.remove_prefix(static_cast<std::size_t>(sent));
    }
    if (!answer.hang_up) silent_.push_back(std::move(connection));
  }

  std::function<Answer(const std::string&)> answer_;
  std::atomic<bool> stopping_{false};
  lacp::Descriptor socket_;
  int port_ = 0;
  std::vector<lacp::Descriptor> silent_;  // connections that stay open; the thread's own
  std::thread thread_;
};
