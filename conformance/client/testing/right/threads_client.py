# Threads over persistent http.client connections, with a gate that stops them all after a 429.
import hashlib
import http.client
import json
import os
import threading
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

NETLOC = urllib.parse.urlsplit(os.environ["SANDBOX_BASE_URL"]).netloc
TOKEN = os.environ["SANDBOX_TOKEN"]
local = threading.local()
gate = {"open_at": 0.0}
lock = threading.Lock()


def connection():
    if getattr(local, "connection", None) is None:
        local.connection = http.client.HTTPConnection(NETLOC, timeout=2.5)
    return local.connection


def wait_for_gate():
    while True:
        with lock:
            left = gate["open_at"] - time.monotonic()
        if left <= 0:
            return
        time.sleep(left + 0.05)


def attempt(method, path, payload, headers):
    try:
        connection().request(method, "/api/v1/" + path, payload, headers)
        answer = connection().getresponse()
        return answer.status, dict(answer.getheaders()), answer.read().decode()
    except (OSError, http.client.HTTPException):
        local.connection.close()
        local.connection = None
        return None


def post(path, body):
    payload = json.dumps(body)
    headers = {
        "Authorization": f"Bearer {TOKEN}",
        # The same intent has the same key, in this run and in the next.
        "Idempotency-Key": hashlib.sha256((path + payload).encode()).hexdigest(),
        "Content-Type": "application/json",
    }
    for seconds in (0.7, 1.5, 3, 6, None):
        wait_for_gate()
        answer = attempt("POST", path, payload, headers)
        if answer is not None:
            status, answered, text = answer
            if status in (200, 201):
                return json.loads(text)
            if status == 429:
                with lock:
                    until = time.monotonic() + int(answered.get("retry-after", "1"))
                    gate["open_at"] = max(gate["open_at"], until)
                continue
            if status < 500 and '"idempotency_in_flight"' not in text or status == 501:
                raise SystemExit(f"{path}: {status} {text[:100]}")
        if seconds is None:
            raise SystemExit(f"{path}: given up")
        time.sleep(seconds)


def position(volume):
    trading = os.environ["SANDBOX_TRADING_ACCOUNT_ID"]
    order = {"instrument": "EURUSD", "side": "sell", "volume": volume}
    opened = post("positions/open", {"trading_account_id": trading, **order})
    closing = {"trading_account_id": trading, "position_id": opened["position_id"]}
    return post("positions/close", closing)


with ThreadPoolExecutor(3) as pool:
    list(pool.map(position, ["0.10", "0.20", "0.30"]))
