#!/bin/sh
# Makes requirements.lock of an adapter from its pyproject.toml: exact versions
# with hashes, one for all platforms and for every Python from the oldest that
# the project allows. Needs `uv`. The version in the first line is part of every
# key of the adapter's stacks.
#
#   adapters/kit/lock.sh adapters/NAME
set -eu
cd "$1"
name=$(sed -n 's/^ *"adapter": "\(.*\)",$/\1/p' adapter.json)
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' pyproject.toml)
{
  echo "# adapter $name $version"
  # The marker is that of [tool.uv] environments. It is true wherever an adapter runs.
  uv pip compile pyproject.toml --universal --fork-strategy fewest --generate-hashes \
    --no-annotate --no-header --no-emit-index-url --quiet |
    sed "s/ ; sys_platform != 'emscripten' / /"
} > requirements.lock.new
mv requirements.lock.new requirements.lock
