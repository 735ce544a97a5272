#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""damaging_proxy.py once|always: an HTTP proxy on loopback that changes byte 100 of the first answer, or of each one to another value.
Prints its port."""
import http.server
import itertools
import sys
import threading
import urllib.request

counter, guard = itertools.count(1), threading.Lock()
direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with direct.open(self.path) as answer:
            body = bytearray(answer.read())
            with guard:
                number = next(counter)
            if sys.argv[1] == "always" or number == 1:
                body[100] ^= number
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
