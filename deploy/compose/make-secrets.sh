#!/bin/sh
# Makes the secrets of compose.yaml that are absent, in the folder secrets/ beside it or in the one given.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$here/secrets}
python=${PYTHON:-$here/../../.venv/bin/python}

mkdir -p "$folder" && chmod 700 "$folder" # others stop here: the files inside are read by the containers' users
folder=$(cd "$folder" && pwd)
(cd "$here/../.." && "$python" -m services --make-keys "$folder/keys")

secret() { # name, content on standard input
    [ -e "$folder/$1" ] || cat > "$folder/$1"
}
random() { "$python" -c 'import secrets; print(secrets.token_hex(24))'; }
random | secret postgres_password
random | secret nats_password
printf 'postgresql://sparrow:%s@postgres:5432/sparrow\n' "$(cat "$folder/postgres_password")" | secret database_url
printf 'nats://sparrow:%s@nats:4222\n' "$(cat "$folder/nats_password")" | secret nats_url
printf 'authorization: { user: sparrow, password: "%s" }\n' "$(cat "$folder/nats_password")" | secret nats_authorization
chmod 755 "$folder/keys" && chmod 644 "$folder"/keys/* "$folder"/*_* && chmod 600 "$folder/keys/operator.key"
