"""A browser that a test drives: Chromium through chromedriver, by W3C WebDriver, with Python's own library alone."""

import json
import os
import re
import shutil
import subprocess
import urllib.error
import urllib.request

ESCAPE = "\ue00c"
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # the driver is on this machine
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    def __init__(self):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        port = next(filter(None, (re.search(r"successfully on port (\d+)", line) for line in self.driver.stdout)))
        self.base = f"http://127.0.0.1:{port.group(1)}"
        arguments = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--force-prefers-reduced-motion",
                     "--force-device-scale-factor=1", "--window-size=1280,900"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")  # Chromium has none for root
        options = {"browserName": "chrome", "timeouts": {"script": 110_000, "pageLoad": 110_000},  # a busy machine is slow
                   "goog:loggingPrefs": {"browser": "ALL"},
                   "goog:chromeOptions": {"binary": shutil.which("chromium"), "args": arguments}}
        answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": options}})
        self.base += f"/session/{answer['sessionId']}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait(20)

    def call(self, method, path, body=None):
        request = urllib.request.Request(self.base + path, method=method,
                                         data=None if body is None else json.dumps(body).encode(),
                                         headers={"Content-Type": "application/json"})
        try:
            with DIRECT.open(request, timeout=120) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def open(self, address):
        self.call("POST", "/url", {"url": address})

    def run(self, script, *arguments):
        """What a function body returns; a promise is waited for."""
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def find(self, selector):
        return self.call("POST", "/element", {"using": "css selector", "value": selector})

    def click(self, selector):
        self.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)
        self.call("POST", f"/element/{self.find(selector)[ELEMENT]}/click", {})

    def press_escape(self):
        actions = [{"type": kind, "value": ESCAPE} for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def chrome(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def console(self):
        """Messages since the last call, errors and warnings."""
        entries = self.call("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] in ("SEVERE", "WARNING")]
