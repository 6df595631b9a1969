#!/bin/sh
# A shell script around curl, as operations teams write them: one key, a loop, and a check of the
# status before anything else.
set -eu
key="nightly-$(date +%s)-$$"
answer=$(mktemp)
trap 'rm -f "$answer" "$answer.head"' EXIT
tries=0
while :; do
  tries=$((tries + 1))
  status=$(curl --silent --max-time 2 --output "$answer" --dump-header "$answer.head" \
    --write-out '%{http_code}' --request POST "$SANDBOX_BASE_URL/api/v1/accounts" \
    --header "Authorization: Bearer $SANDBOX_TOKEN" --header "Idempotency-Key: $key" \
    --header 'Content-Type: application/json' \
    --data "{\"client_reference_id\":\"$key\",\"email\":\"$key@example.com\",\"brand_id\":\"$SANDBOX_BRAND_ID\"}" \
    || true)
  case $status in
    2*) break ;;
    429) wait=$(sed -n 's/^retry-after: *\([0-9]*\).*/\1/Ip' "$answer.head") ;;
    000 | 500 | 502 | 503) wait=1 ;;
    409) grep -q idempotency_in_flight "$answer" || { cat "$answer" >&2; exit 1; }; wait=2 ;;
    *) echo "refused with $status: $(head -c 200 "$answer")" >&2; exit 1 ;;
  esac
  [ "$tries" -lt 5 ] || { echo "given up after $tries tries, the last answered $status" >&2; exit 1; }
  sleep "$wait"
done
echo "done under $key"
