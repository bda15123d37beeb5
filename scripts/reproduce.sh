#!/usr/bin/env bash
# Runs the protocols of the paper and of the released code.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

for protocol in paper release; do
  build/lacp run "experiments/$protocol.yaml"
done
