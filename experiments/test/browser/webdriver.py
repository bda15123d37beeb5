"""A browser that a test drives: Chromium through chromedriver, by W3C WebDriver, with Python's own library alone."""

import base64
import json
import os
import re
import shutil
import subprocess
import urllib.error
import urllib.request

KEYS = {"enter": "\ue007", "escape": "\ue00c", "right": "\ue014", "down": "\ue015"}
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # the driver is on this machine
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


def lacking():
    """What is not installed; "" if all is there."""
    wanted = {"chromium": browser_program(), "chromedriver": shutil.which("chromedriver")}
    return " ".join(name for name, path in wanted.items() if not path)


def browser_program():
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((path for path in map(shutil.which, names) if path), None)


class Browser:
    def __init__(self, width=1280, height=900):
        self.driver = subprocess.Popen([shutil.which("chromedriver"), "--port=0"], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)
        port = None
        for line in self.driver.stdout:
            if found := re.search(r"successfully on port (\d+)", line):
                port = found.group(1)
                break
        if port is None:
            raise RuntimeError("chromedriver did not start")
        self.base = f"http://127.0.0.1:{port}"
        arguments = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--force-prefers-reduced-motion",
                     "--force-device-scale-factor=1", f"--window-size={width},{height}"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")  # Chromium has none for root
        options = {"browserName": "chrome", "timeouts": {"script": 110_000, "pageLoad": 110_000},  # a busy machine is slow
                   "goog:loggingPrefs": {"browser": "ALL"},
                   "goog:chromeOptions": {"binary": browser_program(), "args": arguments}}
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

    def press(self, *names):
        """Keys on whatever has the focus."""
        actions = [{"type": kind, "value": KEYS.get(name, name)} for name in names for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def point_at(self, selector):
        self.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)
        moves = [{"type": "pointerMove", "duration": 0, "x": x, "y": 0, "origin": self.find(selector)} for x in (-3, 0)]
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": moves}]})

    def chrome(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def theme(self, name):
        self.chrome("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def resize(self, width, height):
        self.chrome("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def console(self):
        """Messages since the last call, errors and warnings."""
        entries = self.call("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] in ("SEVERE", "WARNING")]

    def screenshot(self, path):
        """What is in the window, as png."""
        picture = self.chrome("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture))
