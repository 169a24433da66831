#!/bin/sh
# A client of the API in curl, written from its document alone (/api/schema). It needs sh, curl and python3.
#
#   docs/client.sh [http://127.0.0.1:8000]
#
# Signs up a cook and a customer, follows, uploads a photo, publishes, pages, edits, deletes; ends with "all good", or with the first
# answer that was not as expected.
set -eu

API=${1:-http://127.0.0.1:8000}/api/v1
NAME=$(date +%s)$$ # so that it can be run again
ANSWER=$(mktemp) PICTURE=$(mktemp)
trap 'rm -f "$ANSWER" "$PICTURE"' EXIT

# call STATUS METHOD PATH [curl's options]: one request; anything but STATUS ends the script.
call() {
    wanted=$1 method=$2 path=$3
    shift 3
    status=$(curl -sS --max-time 20 -o "$ANSWER" -w '%{http_code}' -X "$method" "$API/$path" "$@")
    if [ "$status" != "$wanted" ]; then
        echo "$method /$path answered $status instead of $wanted:" >&2
        cat "$ANSWER" >&2
        exit 1
    fi
}

# send STATUS METHOD PATH TOKEN BODY: the same with a token and JSON.
send() {
    call "$1" "$2" "$3" -H "Authorization: Bearer $4" -H 'Content-Type: application/json' -d "$5"
}

# get EXPRESSION: of the last answer, which is `a`.
get() {
    python3 -c 'import json, sys; a = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$ANSWER" "$1"
}

is() {
    found=$(get "$1")
    [ "$found" = "$2" ] || { echo "$1 is $found instead of $2" >&2; exit 1; }
}

sign_up() {
    call 201 POST accounts -H 'Content-Type: application/json' \
        -d "{\"username\": \"$1\", \"password\": \"stew-for-seven\", \"is_cook\": $2}"
}

sign_in() {
    call 200 POST auth/token -H 'Content-Type: application/json' \
        -d "{\"username\": \"$1\", \"password\": \"stew-for-seven\"}"
}

echo "signing up"
sign_up "cook$NAME" true
COOK_ID=$(get 'a["id"]')
sign_up "guest$NAME" false
sign_in "cook$NAME"
COOK=$(get 'a["access"]')
sign_in "guest$NAME"
GUEST=$(get 'a["access"]')

echo "following"
call 204 PUT "follows/$COOK_ID" -H "Authorization: Bearer $GUEST"
call 200 GET "accounts/$COOK_ID" -H "Authorization: Bearer $GUEST"
is 'a["relation"]["following"]' True

echo "uploading"
python3 - "$PICTURE" <<'END' # a PNG of 64 by 48, all in the colour of soup
import struct, sys, zlib

def part(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

rows = (b"\0" + b"\xc8\x7a\x2c" * 64) * 48
header = struct.pack(">IIBBBBB", 64, 48, 8, 2, 0, 0, 0)
with open(sys.argv[1], "wb") as file:
    file.write(b"\x89PNG\r\n\x1a\n" + part(b"IHDR", header) + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b""))
END
call 201 POST media -H "Authorization: Bearer $COOK" -H "Idempotency-Key: photo-$NAME" \
    -F "file=@$PICTURE" -F 'alt=Lentil soup in a blue bowl'
PHOTO=$(get 'a["media_id"]')

echo "publishing"
MENU="{\"text\": \"Ready at noon.\", \"media_ids\": [$PHOTO], \"dishes\": [
    {\"name\": \"Lentil soup\", \"price\": \"6.50\", \"tags\": [\"vegan\"]}]}"
for _ in 1 2; do # the second time is a repeat, and publishes nothing
    call 201 POST posts -H "Authorization: Bearer $COOK" -H 'Content-Type: application/json' \
        -H "Idempotency-Key: first-$NAME" -d "$MENU"
done
POST=$(get 'a["post_id"]')
DISH=$(get 'a["dishes"][0]["id"]')
TRIES=0
while :; do # a worker makes the photo's sizes
    call 200 GET "posts/$POST" -H "Authorization: Bearer $GUEST"
    [ "$(get 'a["photos"][0]["state"]')" != ready ] || break
    TRIES=$((TRIES + 1))
    [ "$TRIES" -lt 60 ] || { echo "the photo is still not ready" >&2; exit 1; }
    sleep 0.5
done
is 'bool(a["photos"][0]["url"])' True
send 201 POST posts "$COOK" '{"text": "And cake at three."}'
send 201 POST posts "$COOK" '{"text": "One more pot."}'

echo "paging"
SEEN=0 CURSOR=
while :; do
    call 200 GET "feed?limit=1${CURSOR:+&cursor=$CURSOR}" -H "Authorization: Bearer $GUEST"
    SEEN=$((SEEN + $(get 'len(a["posts"])')))
    CURSOR=$(get 'a["next_cursor"] or ""')
    [ -n "$CURSOR" ] || break
    [ "$SEEN" -lt 10 ] || { echo "the feed does not end" >&2; exit 1; }
done
[ "$SEEN" = 3 ] || { echo "read $SEEN menus instead of 3" >&2; exit 1; }
SINCE=$(get 'a["refresh_cursor"]')
send 201 POST posts "$COOK" '{"text": "Last call."}'
call 200 GET "feed/updates?since=$SINCE" -H "Authorization: Bearer $GUEST"
is 'a["count"]' 1

echo "liking, editing, deleting"
call 204 PUT "posts/$POST/like" -H "Authorization: Bearer $GUEST"
send 200 PATCH "posts/$POST" "$COOK" "{\"text\": \"Sold out.\", \"dishes\": [{\"id\": $DISH, \"sold_out\": true}]}"
call 200 GET "posts/$POST" -H "Authorization: Bearer $GUEST"
is '(a["text"], a["dishes"][0]["sold_out"], a["liked"])' "('Sold out.', True, True)"
send 403 PATCH "posts/$POST" "$GUEST" '{"text": "Mine."}'
call 204 DELETE "posts/$POST" -H "Authorization: Bearer $COOK"
call 404 GET "posts/$POST" -H "Authorization: Bearer $GUEST"
is 'a["code"]' not_found

echo "leaving"
call 204 DELETE me -H "Authorization: Bearer $COOK"
call 204 DELETE me -H "Authorization: Bearer $GUEST"
call 401 GET me -H "Authorization: Bearer $GUEST"
echo "all good"
