# A client with urllib and nothing else: exponential waits with jitter, one token kept until a 401.
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
    def __init__(self):
        self.token = None

    def _exchange(self, method, path, body, headers):
        payload = None if body is None else json.dumps(body).encode()
        if payload is not None:
            headers = {**headers, "Content-Type": "application/json"}
        request = urllib.request.Request(BASE + path, payload, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=2) as answer:
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
        key = str(uuid.uuid4())
        refreshed = False
        for attempt in range(6):
            if self.token is None:
                self._new_token()
            headers = {"Authorization": f"Bearer {self.token}", "Idempotency-Key": key}
            if tag is not None:
                headers["If-Match"] = tag
            wait = 0.4 * 2**attempt + random.uniform(0, 0.2)
            try:
                status, answered, text = self._exchange(method, path, body, headers)
            except OSError:
                time.sleep(wait)
                continue
            if 200 <= status < 300:
                return json.loads(text), answered.get("ETag")
            is_json = "json" in answered.get("Content-Type", "")
            code = json.loads(text).get("code") if is_json else None
            if status == 401 and not refreshed:
                refreshed, self.token = True, None
            elif status == 429:
                time.sleep(int(answered["Retry-After"]) + random.uniform(0.05, 0.3))
            elif status in (500, 502, 503, 504) or code == "idempotency_in_flight":
                time.sleep(wait)
            else:
                raise ApiError(status, code, text)
        raise SystemExit(f"{method} {path}: given up")


def main():
    client = Client()
    reference = f"py-{uuid.uuid4()}"
    account, tag = client.send("POST", "accounts", {
        "client_reference_id": reference,
        "email": f"{reference}@example.com",
        "brand_id": os.environ["SANDBOX_BRAND_ID"],
    })
    try:
        client.send("PATCH", f"accounts/{account['id']}", {"last_name": "Lovelace"}, tag)
    except ApiError as error:
        if error.status != 412:
            raise
        sys.exit("somebody else has changed the account; look at it and try again")
    owner = os.environ["SANDBOX_ACCOUNT_ID"]
    deposit, _ = client.send("POST", "transactions", {
        "client_reference_id": f"dep-{reference}",
        "account_id": owner,
        "trading_account_id": os.environ["SANDBOX_TRADING_ACCOUNT_ID"],
        "currency": "USD",
        "amount": "12.50",
        "transaction_type": "Deposit",
    })
    client.send("POST", f"transactions/{deposit['id']}/cancel?account_id={owner}", {"reason": "test"})


main()
