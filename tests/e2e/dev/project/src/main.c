// Responds with MESSAGE, the content of config/default.json, and what it has got of its environment and the request. "/crash" ends it, "/slow" takes a second.
#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#include "message.h"

static volatile sig_atomic_t is_stopping = 0;
static void stop(int signal) {
  (void)signal;
  is_stopping = 1;
}

static void respond(int client, const char* config) {
  char request[4096] = "";
  size_t size = 0;
  while (strstr(request, "\r\n\r\n") == NULL && size < sizeof request - 1) {
    const ssize_t count = read(client, request + size, sizeof request - 1 - size);
    if (count <= 0) return;
    size += (size_t)count;
  }
  const char* field = strstr(request, "\r\nContent-Length: ");
  const long length_of_body = field != NULL ? atol(field + strlen("\r\nContent-Length: ")) : 0;
  long received = (long)(size - (size_t)(strstr(request, "\r\n\r\n") + 4 - request));
  while (received < length_of_body) {
    char part[16384];
    const ssize_t count = read(client, part, sizeof part);
    if (count <= 0) return;
    received += count;
  }
  if (strstr(request, " /crash ") != NULL) abort();
  if (strstr(request, " /slow ") != NULL) usleep(1000000);
  char body[1024];
  const char* dev = getenv("FAIRWAY_DEV");
  const int is_secure = strstr(request, "\r\nX-Forwarded-Proto: https\r\n") != NULL;
  const int is_spoofed = strstr(request, "192.0.2.7") != NULL;
  const int length = snprintf(body, sizeof body, "%s %s dev=%s%s%s %ld", MESSAGE, config, dev ? dev : "",
                              is_secure ? " secure" : "", is_spoofed ? " spoofed" : "", received);
  dprintf(client, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", length, body);
}

int main(void) {
  struct sigaction action = {0};
  action.sa_handler = stop;
  sigaction(SIGTERM, &action, NULL);
  // It only arrives while this process waits for a connection, and interrupts no response.
  sigset_t end, none;
  sigemptyset(&none);
  sigemptyset(&end);
  sigaddset(&end, SIGTERM);
  sigprocmask(SIG_BLOCK, &end, NULL);
  char config[256] = "";
  FILE* file = fopen("config/default.json", "r");
  if (file == NULL || fgets(config, sizeof config, file) == NULL) return 3;
  fclose(file);
  if (strstr(config, "wrong") != NULL) {
    fprintf(stderr, "config/default.json is wrong\n");
    return 1;
  }
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((unsigned short)atoi(getenv("PORT"))),
                                .sin_addr = {htonl(INADDR_LOOPBACK)}};
  if (bind(listener, (struct sockaddr*)&address, sizeof address) != 0 || listen(listener, 100) != 0) return 2;
  fcntl(listener, F_SETFL, O_NONBLOCK);
  while (!is_stopping) {
    fd_set readable;
    FD_ZERO(&readable);
    FD_SET(listener, &readable);
    pselect(listener + 1, &readable, NULL, NULL, NULL, &none);
    // Those that have connected before the end get their responses, too.
    for (int client; (client = accept(listener, NULL, NULL)) >= 0; close(client)) respond(client, config);
  }
  return 0;
}
