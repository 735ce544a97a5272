# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Drives a headless Chromium over its debugging pipe (fd 3 and 4), with nothing but Python's own library."""
import base64
import fcntl
import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.parse

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell")


class Browser:
    """One page in one browser. Every console message, exception, refusal of the page's policy and request is kept."""

    def __init__(self, width=1280, height=900):
        program = next(filter(None, map(shutil.which, PROGRAMS)))
        self.home = tempfile.mkdtemp(prefix="hostpin-browser.")
        ours_read, its_write = os.pipe()
        its_read, ours_write = os.pipe()
        # Clear of 3 and 4, which the browser is given.
        ends = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (its_read, its_write)]

        def give():
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-extensions", "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={self.home}", "--remote-debugging-pipe",
             f"--window-size={width},{height}", "about:blank"],
            pass_fds=(3, 4), preexec_fn=give, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env={**os.environ, "HOME": self.home})
        for fd in (its_read, its_write, *ends):
            os.close(fd)
        self.read, self.write = os.fdopen(ours_read, "rb"), os.fdopen(ours_write, "wb", buffering=0)
        self.number, self.buffer, self.complaints, self.requests, self.loaded = 0, b"", [], [], 0
        self.session = None
        while not (pages := [t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page"]):
            time.sleep(0.05)  # the window may come after the pipe
        target = pages[0]
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.size(width, height)

    def message(self):
        while b"\0" not in self.buffer:
            more = self.read.read1(1 << 16)
            if not more:
                raise RuntimeError("the browser ended")
            self.buffer += more
        one, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(one)

    def call(self, method, **params):
        self.number += 1
        request = {"id": self.number, "method": method, "params": params}
        if self.session:
            request["sessionId"] = self.session
        self.write.write(json.dumps(request).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.event(answer)

    def event(self, event):
        method, params = event.get("method"), event.get("params", {})
        if method == "Runtime.consoleAPICalled":
            self.complaints.append(str(params["args"]))
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(str(params["exceptionDetails"]))
        elif method == "Log.entryAdded":
            self.complaints.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Page.loadEventFired":
            self.loaded += 1

    def open(self, path):
        before, self.url = self.loaded, "file://" + urllib.parse.quote(os.path.abspath(path))
        self.complaints.clear()
        self.requests.clear()
        self.call("Page.navigate", url=self.url)
        while self.loaded == before:
            self.event(self.message())

    def js(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def media(self, **features):
        """media(media="print"), media(prefers_color_scheme="dark")"""
        medium = features.pop("media", "")
        self.call("Emulation.setEmulatedMedia", media=medium,
                  features=[{"name": k.replace("_", "-"), "value": v} for k, v in features.items()])

    def key(self, key, text=None):
        for kind in ("keyDown", "keyUp"):
            extra = {"text": text} if text and kind == "keyDown" else {}
            codes = {"Tab": 9, "Enter": 13, " ": 32, "ArrowRight": 39, "ArrowLeft": 37, "ArrowUp": 38, "ArrowDown": 40,
                     "Home": 36, "End": 35}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=codes.get(key, 0), **extra)

    def picture(self, path, whole=True):
        data = self.call("Page.captureScreenshot", captureBeyondViewport=whole,
                         **({"clip": {"x": 0, "y": 0, "scale": 1, "width": self.js("innerWidth"),
                                      "height": self.js("document.documentElement.scrollHeight")}} if whole else {}))
        with open(path, "wb") as file:
            file.write(base64.b64decode(data["data"]))

    def pdf(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"]))

    def close(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
