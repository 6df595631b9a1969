# The correct client in Python with one mistake: `python3 python_mistakes.py NAME`.
import json
import os
import sys
import time
import uuid

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "right"))
from urllib_client import ApiError, Client, main  # noqa: E402


class KeyInTheLoop(Client):
    def key(self, kept, attempt):
        return str(uuid.uuid4())


class NoTimeout(Client):
    timeout = None


class BareExcept(Client):
    def send(self, *args, **named):
        try:
            return super().send(*args, **named)
        except SystemExit:
            return {"id": "1"}, '"1"'


class WhileTrue(Client):
    tries = 10**9

    def wait(self, attempt):
        return 0.5


class SleepsASecond(Client):
    def limited(self, answered):
        time.sleep(1)


class EveryConflictIsFinal(Client):
    def repeats(self, status, code):
        return status in (500, 502, 503, 504)


class RepeatsAllErrors(Client):
    def repeats(self, status, code):
        return status not in (401, 412, 429)


class ParsesFirst(Client):
    def decode(self, text, is_json):
        return json.loads(text)


class Wants201(Client):
    created = False

    def accepts(self, status):
        return status == 201 if self.created else super().accepts(status)

    def send(self, method, path, body=None, tag=None):
        self.created = path in ("accounts", "transactions")
        return super().send(method, path, body, tag)


class FloatAmounts(Client):
    def encode(self, body):
        amount = {"amount": float(body["amount"])} if "amount" in body else {}
        return json.dumps({**body, **amount}).encode()


class FloatIds(Client):
    def id(self, value):
        return str(int(float(value)))


class ExactMembers(Client):
    def decode(self, text, is_json):
        parsed = super().decode(text, is_json)
        if parsed is not None and "amount" in parsed and len(parsed) != 10:
            raise ApiError(200, None, "unknown members in the answer")
        return parsed


class NeverRefreshes(Client):
    def repeats(self, status, code):
        return super().repeats(status, code)

    def send(self, method, path, body=None, tag=None):
        had = self.token is not None
        before = self._new_token
        if had:
            self._new_token = lambda: sys.exit("the token is no longer known")
        try:
            return super().send(method, path, body, tag)
        finally:
            self._new_token = before


name = sys.argv[1]
mistakes = {each.__name__: each for each in Client.__subclasses__()}
main(mistakes[name]())
