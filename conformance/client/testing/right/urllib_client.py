# A client that only uses urllib: exponential waits with jitter, one token kept until a 401.
import json
import os
import random
import sys
import time
import urllib.error
import urllib.request
import uuid

BASE = os.environ["SANDBOX_BASE_URL"] + "/api/v1/"


class ApiError(Exception):
    def __init__(self, status, code, text):
        super().__init__(f"{status} {code or text[:80]}")
        self.status, self.code = status, code


class Client:
    """Decisions stand in methods of their own, so that a test can make one of them wrong."""

    timeout = 2
    tries = 5

    def __init__(self):
        self.token = None

    def key(self, kept, _attempt):
        return kept

    def encode(self, body):
        return json.dumps(body).encode()

    def decode(self, text, is_json):
        return json.loads(text) if is_json else None

    def accepts(self, status):
        return 200 <= status < 300

    def repeats(self, status, code):
        return status in (500, 502, 503, 504) or code == "idempotency_in_flight"

    def limited(self, answered):
        time.sleep(int(answered["Retry-After"]) + random.uniform(0.05, 0.3))

    def broken(self, error, wait):
        time.sleep(wait)

    def wait(self, attempt):
        return 0.4 * 2**attempt + random.uniform(0, 0.2)

    def id(self, value):
        return value

    def _exchange(self, method, path, body, headers):
        payload = None if body is None else self.encode(body)
        if payload is not None:
            headers = {**headers, "Content-Type": "application/json"}
        request = urllib.request.Request(BASE + path, payload, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as answer:
                return answer.status, answer.headers, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read().decode()

    def _new_token(self):
        body = {
            "grant_type": "client_credentials",
            "client_id": os.environ["SANDBOX_CLIENT_ID"],
            "client_secret": os.environ["SANDBOX_CLIENT_SECRET"],
        }
        status, _, text = self._exchange("POST", "oauth/token", body, {})
        if status != 200:
            raise ApiError(status, None, text)
        self.token = json.loads(text)["access_token"]

    def send(self, method, path, body=None, tag=None):
        kept = str(uuid.uuid4())
        refreshed = False
        for attempt in range(self.tries):
            if self.token is None:
                self._new_token()
            headers = {"Authorization": f"Bearer {self.token}"}
            headers["Idempotency-Key"] = self.key(kept, attempt)
            if tag is not None:
                headers["If-Match"] = tag
            wait = self.wait(attempt)
            try:
                status, answered, text = self._exchange(method, path, body, headers)
            except OSError as error:
                self.broken(error, wait)
                continue
            parsed = self.decode(text, "json" in answered.get("Content-Type", ""))
            if self.accepts(status):
                return parsed, answered.get("ETag")
            code = parsed.get("code") if parsed is not None else None
            if status == 401 and not refreshed:
                refreshed, self.token = True, None
            elif status == 429:
                self.limited(answered)
            elif self.repeats(status, code):
                time.sleep(wait)
            else:
                raise ApiError(status, code, text)
        raise SystemExit(f"{method} {path}: given up")


def main(client):
    reference = f"py-{uuid.uuid4()}"
    account, tag = client.send("POST", "accounts", {
        "client_reference_id": reference,
        "email": f"{reference}@example.com",
        "brand_id": os.environ["SANDBOX_BRAND_ID"],
    })
    try:
        client.send("PATCH", f"accounts/{client.id(account['id'])}", {"last_name": "Lovelace"}, tag)
    except ApiError as error:
        if error.status != 412:
            raise
        sys.exit("somebody else has changed the account; look at it and try again")
    owner = client.id(os.environ["SANDBOX_ACCOUNT_ID"])
    deposit, _ = client.send("POST", "transactions", {
        "client_reference_id": f"dep-{reference}",
        "account_id": owner,
        "trading_account_id": client.id(os.environ["SANDBOX_TRADING_ACCOUNT_ID"]),
        "currency": "USD",
        "amount": "12.50",
        "transaction_type": "Deposit",
    })
    cancel = f"transactions/{client.id(deposit['id'])}/cancel?account_id={owner}"
    client.send("POST", cancel, {"reason": "test"})


if __name__ == "__main__":
    main(Client())
