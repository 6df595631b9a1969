# The same three writes by way of Python's requests: as it is, or with urllib3's Retry ("retry").
import os
import sys
import uuid

import requests
from requests.adapters import HTTPAdapter
from urllib3.util.retry import Retry

environment = os.environ
session = requests.Session()
if sys.argv[1:] == ["retry"]:
    retry = Retry(
        total=5,
        backoff_factor=0.5,
        status_forcelist=[429, 500, 502, 503],
        allowed_methods=None,
    )
    session.mount("http://", HTTPAdapter(max_retries=retry))


def post(path, json=None):
    response = session.post(
        f"{environment['SANDBOX_BASE_URL']}/api/v1/{path}",
        json=json,
        headers={
            "Authorization": f"Bearer {environment['SANDBOX_TOKEN']}",
            "Idempotency-Key": str(uuid.uuid4()),
        },
    )
    response.raise_for_status()
    return response.json()


reference = str(uuid.uuid4())
account = environment["SANDBOX_ACCOUNT_ID"]
post(
    "accounts",
    {
        "client_reference_id": reference,
        "email": f"{reference}@example.com",
        "brand_id": environment["SANDBOX_BRAND_ID"],
    },
)
deposit = post(
    "transactions",
    {
        "client_reference_id": f"t-{reference}",
        "account_id": account,
        "trading_account_id": environment["SANDBOX_TRADING_ACCOUNT_ID"],
        "currency": "USD",
        "amount": "10.00",
        "transaction_type": "Deposit",
    },
)
post(f"transactions/{deposit['id']}/approve?account_id={account}")
