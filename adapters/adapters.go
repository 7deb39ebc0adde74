// Package adapters holds the adapters that memform ships, so that the program
// needs nothing beside it: their manifests, locks and code, as they lie in
// this folder. It holds nothing else. Start at Files.
package adapters

import "embed"

// Files is this folder, as far as adapters need it.
//
//go:embed PROTOCOL.md protocol.schema.json
//go:embed */adapter.json */requirements.lock example/adapter.py kit/memform_kit/*.py
//go:embed langchain/memform_langchain/*.py llamaindex/memform_llamaindex/*.py
var Files embed.FS
