#!/usr/bin/env bash
# Everything the stacks must pass: environments from the locks, the conformance
# suite, the adapters' own tests, an experiment on five stacks where there is
# no network, and the same again without Python. It needs bin/memform and Python
# 3.11 or newer with venv, which it installs where it can, and sends nothing;
# only installing uses the network.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C NO_COLOR=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

step() { printf '\n== %s ==\n' "$*"; }

step "Python, for the adapters"
suits() { python3 -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2> "$work/python"; }
if ! suits && [ "$(id -u)" = 0 ] && command -v apt-get > "$work/apt"; then
  { apt-get update -q && apt-get install -yq --no-install-recommends python3 python3-venv; } || true
fi
suits || {
  cat "$work/python"
  echo "the adapters need python3, 3.11 or newer, with venv and ensurepip (Debian, Ubuntu: apt-get install python3-venv)"
  exit 1
}
python3 --version

step "environments from the locks, every file held against its hash"
bin/memform stack install langchain llamaindex example
bin/memform stack list

# each COMMAND NAME... runs a command for every NAME, two at a time, and shows
# the last line of what it says, all of it where it fails.
each() {
  local command=$1
  shift
  printf '%s\n' "$@" | xargs -P 2 -I{} bash -c '
    if '"$command"' > "$work/said-$1" 2>&1; then echo "$1: $(tail -n 1 "$work/said-$1")"; else cat "$work/said-$1"; exit 1; fi' - {}
}
export work

step "conformance: alone, whole, final; cold, again, interleaved and on another date the same requests"
each 'bin/memform stack check "$1"' langchain langmem llamaindex llamaindex-facts example example-notes

step "the adapters' own tests"
stacks=${MEMFORM_STACKS:-${XDG_CACHE_HOME:-$HOME/.cache}/memform/stacks}
for adapter in langchain llamaindex; do
  lock=$(sha256sum "adapters/$adapter/requirements.lock")
  ln -s "$stacks/$adapter-${lock:0:16}" "$work/$adapter"
done
mkdir -p "$work/kit/venv/bin"
ln -s "$(command -v python3)" "$work/kit/venv/bin/python"
each '"$work/$1/venv/bin/python" -B -m unittest discover -s "adapters/$1/tests"' kit langchain llamaindex

step "an experiment on five stacks, with no network but the loopback interface"
offline() { # runs a command in a network namespace of its own
  unshare -rn python3 -c '
import fcntl, os, socket, struct, sys
with socket.socket() as s:
    fcntl.ioctl(s, 0x8914, struct.pack("16sh", b"lo", 1))  # SIOCSIFFLAGS, IFF_UP
os.execvp(sys.argv[1], sys.argv[1:])' "$@"
}
if ! offline true 2> "$work/unshare"; then
  cat "$work/unshare"
  echo "there are no network namespaces here: what follows could reach the network"
  offline() { "$@"; }
fi
plain() { offline bin/memform "$@"; }
bare() { offline env PATH=/nonexistent MEMFORM_STACKS=/nonexistent "$PWD/bin/memform" "$@"; }
run() { # as plain or bare
  "$1" run experiments/stacks.hcl --cache "$work/cache" --output-dir "$work/$1" > "$work/table" 2> "$work/log" || { cat "$work/log"; exit 1; }
  cat "$work/log"
}
run plain

step "again, and replayed: no Python, no network, no calls, the same bytes"
run bare
grep -q ' 0 calls sent' "$work/log" || { echo "the second run sent calls"; exit 1; }
for file in case_results.jsonl summary.json; do
  cmp "$work/plain/$file" "$work/bare/$file"
done
bin/memform bundle "$work/plain" --cache "$work/cache" -o "$work/stacks.memform"
bare replay "$work/stacks.memform"
