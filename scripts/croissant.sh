#!/usr/bin/env bash
# Holds outputs/croissant.json against the reference validator of the format
# and reads every record set through it. It needs Python 3.10 or newer, and the
# package index once: about 100 MB and half a minute, into a directory that is
# removed, or into the environment that CROISSANT_VENV names.
set -euo pipefail
cd "$(dirname "$0")/.."
file=${1:-outputs/croissant.json}
venv=${CROISSANT_VENV:-}
if [ -z "$venv" ]; then
  venv=$(mktemp -d)
  trap 'rm -rf "$venv"' EXIT
fi
if [ ! -x "$venv/bin/mlcroissant" ]; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check mlcroissant==1.1.1
fi
"$venv/bin/mlcroissant" validate --jsonld "$file"
"$venv/bin/python" - "$file" <<'PY'
import json, os, sys
import mlcroissant

path = sys.argv[1]
data = mlcroissant.Dataset(jsonld=path)
folder = os.path.dirname(path)
urls = {d["@id"]: d["contentUrl"] for d in json.load(open(path))["distribution"]}
for rs in data.metadata.record_sets:
    with open(os.path.join(folder, urls[rs.uuid + ".jsonl"])) as lines:
        want = sum(1 for _ in lines)
    got = sum(1 for _ in data.records(record_set=rs.uuid)) if want else 0
    print(f"{rs.uuid}: {got} of {want} records")
    if got != want:
        sys.exit(f"{rs.uuid}: the records are not those of the file")
PY
