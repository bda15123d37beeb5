#!/usr/bin/env python3
"""Calls of lacp.h and of lacp.py that nobody should make: lib/python/test/test_attack.py LACP. Each ends well or in an error with a
message; none may crash, print or end the process. Exit code 77: there is no NumPy. Meant for the address sanitizer."""
import copy
import ctypes
import json
import os
import pathlib
import pickle
import signal
import sys
import threading
import time
import warnings

try:
    import numpy as np
except ImportError as error:
    print(f"SKIPPED: {error}")
    sys.exit(77)
os.environ["LACP"] = sys.argv[1]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import lacp
from lacp import LacpRegressor

FAST = {"method": "fixed", "settings": {"predictor.rounds": 5}, "n_jobs": 2}
random = np.random.default_rng(1)
X, y = random.normal(size=(120, 3)), random.normal(size=120)
library, calls, refused = lacp._library(), 0, 0
i64 = ctypes.c_int64


def raw(name, *arguments):
    """A call of the library: a number below 0 goes with a message."""
    global calls, refused
    calls += 1
    result = getattr(library, f"lacp_{name}")(*arguments)
    said = json.loads(library.lacp_said())
    assert (result < 0) == (said["error"] is not None), (name, result, said)
    if result < 0:
        refused += 1
        assert said["error"]["message"] and said["error"]["code"], said
    return result


def odd(call):
    """A call of the module: any exception of Python's own kind will do."""
    global calls, refused
    calls += 1
    try:
        return call()
    except (ValueError, TypeError, MemoryError, AttributeError, OverflowError, OSError, KeyError) as error:
        refused += 1
        assert str(error), repr(error)


def table_of(columns, rows):
    columns = (lacp.COLUMN * max(1, len(columns)))(*columns)
    return lacp.TABLE(columns, len(columns), rows), columns


def number_column(name=b"x", kind=b"number", values=None, stride=8):
    return lacp.COLUMN(name, kind, (X if values is None else values).ctypes.data, stride)


def odd_handles():
    data, size = ctypes.c_void_p(), i64()
    fitted = LacpRegressor(**FAST).fit(X, y)
    for number in (0, -1, 1, 99, 2**62, -2**63):
        if number != fitted.model_.number:
            raw("info", i64(number)), raw("save", i64(number), ctypes.byref(data), ctypes.byref(size))
            raw("predict", i64(number), None, None, None, i64(0), None), raw("evaluate", i64(number), None, None, None)
            library.lacp_free(i64(number))
    again = raw("load", bytes(fitted.model_), i64(len(fitted.model_)), b"again")
    library.lacp_free(i64(again)), library.lacp_free(i64(again))
    assert raw("info", i64(again)) < 0
    raw("save", fitted.model_.handle(), None, None)


def odd_bytes():
    model = bytes(LacpRegressor(**FAST).fit(X, y).model_)
    raw("load", None, i64(5), b"x"), raw("load", b"", i64(-1), None), raw("load", b"", i64(0), None)
    for at in range(0, len(model), max(1, len(model) // 40)):
        raw("load", model[:at], i64(at), b"cut")
        raw("load", model[:at] + bytes([model[at] ^ 255]) + model[at + 1:], i64(len(model)), b"changed")


def odd_tables():
    good = LacpRegressor(**FAST).fit(X, y)
    out, ends = np.empty(1000), np.array([0, 1, 2, 3], dtype=np.int64)
    places = lambda ends: None if ends is None else ends.ctypes.data
    texts = lambda ends, count, bytes=b"abc": lacp.COLUMN(b"x", b"category", None, 0, lacp.TEXTS(bytes, places(ends), count))
    tables = [None, lacp.TABLE(None, 3, 5), lacp.TABLE(None, -1, 5), lacp.TABLE(None, 2**62, 2**62)]
    kept = []
    for columns, rows in (
            ([number_column()], -1), ([number_column()], 2**62), ([number_column(None)], 3), ([number_column(b"")], 3),
            ([number_column(), number_column()], 3), ([number_column(kind=None)], 3), ([number_column(kind=b"poem")], 3),
            ([number_column(kind=b"category")], 3), ([number_column(kind=b"target")], 3), ([number_column(b"\xff\xfe")], 3),
            ([texts(None, 3)], 3), ([texts(ends, 3, None)], 3), ([texts(ends, 2)], 3), ([texts(-ends, 3)], 3), ([texts(ends[::-1].copy(), 3)], 3),
            ([texts(ends, 3)], 3), ([texts(ends, 3), number_column(b"y", b"target")], 3),
            ([number_column(), number_column(b"y", b"target", stride=0)], 3),
            ([lacp.COLUMN(b"x", b"ordered", None, 0, lacp.TEXTS(b"abc", ends.ctypes.data, 3)), number_column(b"y", b"target")], 3),
            ([number_column(values=X[::-1], stride=-24), number_column(b"y", b"target", y)], 120), ([number_column(b"y", b"target", y)], 120),
            ([number_column(values=X, stride=3), number_column(b"y", b"target", y)], 99),
            ([number_column(b"a" * 10**6), number_column(b"y", b"target", y)], 50)):
        table, own = table_of(columns, rows)
        tables.append(table)
        kept.append(own)
    for table in tables:
        given = None if table is None else ctypes.byref(table)
        number = raw("fit", given, b'{"method":"fixed"}', None)
        if number > 0:
            library.lacp_free(i64(number))
        for name in ("predict", "ask"):
            raw(name, good.model_.handle(), given, None, out.ctypes.data_as(ctypes.c_void_p), i64(5), None)
        raw("update", good.model_.handle(), given, b"", None)


def odd_options():
    table, kept = lacp._given({"a": X[:, 0], "y": y}, {"a": "number", "y": "target"})
    for options in (b"{", b"[]", b"1", b"\x00", b"\xff", b'{"seed":-1}', b'{"seed":1e30}', b'{"seed":[1]}', b'{"jobs":-1}', b'{"jobs":99999999}',
                    b'{"coverage":"x"}', b'{"coverage":[2]}', b'{"coverage":[{}]}', b'{"method":{}}',
                    b'{"set":["="]}', b'{"set":["a"]}', b'{"set":[""]}',
                    b'{"set":["training.epochs=[[["]}', b'{"none":1}', b'{"sides":"x"}',
                    b'{"calibration":"rows"}', b'{"clip":","}', b'{"clip":"nan,nan"}',
                    b'{"by":"y"}', b'{"prediction":"y"}', b'{"coverage":["0.9","0.9"]}', b"[" * 600, b"x" * 300000, b'{"a":&a [*a]}'):
        number = raw("fit", table, options, None)
        if number > 0:
            library.lacp_free(i64(number))


def odd_arrays():
    model = LacpRegressor(**FAST).fit(X, y)
    for wrong in (None, 5, "x", [], [[]], [[[1]]], X[0], X[:0], X[:, :0], X[:, :2],
                  np.full((2, 3), np.nan), np.full((2, 3), np.inf), np.full((2, 3), 1e308),
                  np.array([["a", "b", "c"]]), np.array([[None] * 3]), X.astype(complex), X.astype("f4"),
                  X[::-2, ::-1], np.asfortranarray(X), X.astype(object),
                  np.broadcast_to(X[0], (10**5, 3)), np.ma.masked_array(X), [[2**80, 1, 2]], {"a": 1}, iter([])):
        odd(lambda: model.predict(wrong)), odd(lambda: LacpRegressor(**FAST).fit(wrong, y)), odd(lambda: model.update(wrong, y))
    for wrong in (None, "x", y[:5], y * np.nan, y * np.inf, np.zeros(120), X, np.full(120, 1e308), np.array(["a"] * 120), [object()] * 120):
        odd(lambda: LacpRegressor(**FAST).fit(X, wrong)), odd(lambda: copy.deepcopy(model).update(X, wrong)), odd(lambda: model.drift_test(X, wrong))
    for values in ({"method": 3}, {"coverage": np.nan}, {"coverage": None}, {"settings": {"a\nb": 1}}, {"settings": {"training": object()}},
                   {"by": 7}, {"clip": (2, 1)},
                   {"n_jobs": "x"}, {"random_state": "x"}, {"sides": None}, {"unseen": b"x"},
                   {"settings": {"training.epochs": 10**30}}, {"copies": "\ud800"}):
        odd(lambda: LacpRegressor(**{**FAST, **values}).fit(X, y).predict(X))
    for q in ([], [0], [1], [-1], np.nan, "x", [0.5] * 3, np.linspace(0.001, 0.999, 500)):
        odd(lambda: model.predict_quantile(X, q)), odd(lambda: model.predict_interval(X, coverage=q)), odd(lambda: model.predict_bound(X, upper=q))
    odd(lambda: model.explain(X)), odd(lambda: model.predict_bound(X)), odd(lambda: pickle.loads(pickle.dumps(model)).predict(X))
    huge = np.lib.stride_tricks.as_strided(X, shape=(2**40, 3), strides=(0, 8))
    table, kept = table_of([number_column(b"x0"), number_column(b"x1"), number_column(b"x2"), number_column(b"y", b"target")], 2**38)
    raw("fit", ctypes.byref(table), None, None), odd(lambda: model.predict(huge))


def odd_threads():
    """Many threads with one model, some of which change or end it."""
    model, errors = LacpRegressor(**FAST).fit(X, y), []
    expected = model.predict(X)

    def work(i):
        try:
            own = pickle.loads(pickle.dumps(model)) if i % 3 == 0 else model
            for _ in range(5):
                assert np.array_equal(own.predict(X), expected)
                own.predict_interval(X, coverage=0.5 + i / 100)
            if i % 3 == 0:
                own.update(X, y)
        except Exception as error:
            errors.append(error)
    threads = [threading.Thread(target=work, args=(i,)) for i in range(12)]
    [thread.start() for thread in threads], [thread.join() for thread in threads]
    assert not errors, errors
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(model.predict(X), expected) and len(LacpRegressor(**FAST).fit(X, y).model_) > 9 else 1)
    assert os.waitpid(child, 0)[1] == 0, "a child of a process that has a model"


def odd_signals():
    """Ctrl-C, and another handler that throws, end a fit within a second; what was fitted before stays."""
    big_X, big_y = random.normal(size=(20000, 8)), random.normal(size=20000)
    slow = LacpRegressor(**FAST).fit(X, y)
    before = slow.model_
    slow.set_params(method="forest", settings=None)

    def alarm(*_):
        raise TimeoutError("enough")
    signal.signal(signal.SIGALRM, alarm)
    for number, kind in ((signal.SIGINT, KeyboardInterrupt), (signal.SIGALRM, TimeoutError)):
        sent = []
        timer = threading.Timer(1.0, lambda: (sent.append(time.time()), os.kill(os.getpid(), number)))
        timer.start()
        try:
            slow.fit(big_X, big_y)
            raise AssertionError("was not ended")
        except kind:
            print(f"{kind.__name__}: ended after {time.time() - sent[0]:.2f} s")
            assert slow.model_ is before
    slow.predict(X)


warnings.simplefilter("ignore")
for test in (odd_handles, odd_bytes, odd_tables, odd_options, odd_arrays, odd_threads, odd_signals):
    print(test.__name__, flush=True)
    test()
print(f"{calls} odd calls, {refused} of them refused")
