#include "local_server.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

namespace {

struct Bound {
  int socket = -1, port = 0;
};

Bound bind_to_loopback() {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (descriptor < 0 || ::bind(descriptor, generic, size) != 0 ||
      ::getsockname(descriptor, generic, &size) != 0)
    throw std::runtime_error("no port of the loopback interface for the test");
  return {descriptor, ntohs(address.sin_port)};
}

}  // namespace

Answer reply(const std::string& status, const std::string& body, const std::string& more_headers) {
  return {fmt::format("HTTP/1.1 {}\r\nContent-Length: {}\r\nConnection: close\r\n{}\r\n{}", status,
                      body.size(), more_headers, body)};
}

LocalServer::LocalServer(std::function<Answer(const std::string&)> answer) : answer_(std::move(answer)) {
  const Bound bound = bind_to_loopback();
  listener_ = bound.socket;
  port_ = bound.port;
  if (::listen(listener_, 16) != 0) throw std::runtime_error("the test's server cannot listen");
  thread_ = std::thread([this] { serve(); });
}

LocalServer::~LocalServer() {
  stopping_ = true;
  ::shutdown(listener_, SHUT_RDWR);  // ends the wait in accept
  thread_.join();
  ::close(listener_);
  for (const int connection : silent_) ::close(connection);
}

std::string LocalServer::url(const std::string& path) const {
  return fmt::format("http://127.0.0.1:{}{}", port_, path);
}

std::vector<std::string> LocalServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void LocalServer::serve() {
  while (!stopping_) {
    const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection >= 0) answer_one(connection);
  }
}

void LocalServer::answer_one(int connection) {
  std::string request;
  char buffer[4096];
  while (request.find("\r\n\r\n") == std::string::npos) {
    const ssize_t got = ::recv(connection, buffer, sizeof buffer, 0);
    if (got <= 0) break;
    request.append(buffer, static_cast<std::size_t>(got));
  }
  const std::size_t begin = request.find(' ') + 1, end = request.find(' ', begin);
  const std::string path = request.substr(begin, end - begin);
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(path);
  }
  const Answer answer = answer_(path);
  std::string_view left = answer.bytes;
  while (!left.empty()) {
    const ssize_t sent = ::send(connection, left.data(), left.size(), MSG_NOSIGNAL);
    if (sent <= 0) break;  // the other side has had enough
    left.remove_prefix(static_cast<std::size_t>(sent));
  }
  if (answer.hang_up)
    ::close(connection);
  else
    silent_.push_back(connection);
}

ClosedPort::ClosedPort() {
  const Bound bound = bind_to_loopback();  // bound, so that nobody else takes it, and not listening
  socket_ = bound.socket;
  port_ = bound.port;
}

ClosedPort::~ClosedPort() { ::close(socket_); }
