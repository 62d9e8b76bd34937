#!/bin/bash
# Forecast that all teams of a match have the same chance.
#
#   bench/predict/even.sh FILE TRAIN EVALUATIONS SEED [PARAMS]
#
# bench/predict.sh calls this, as it calls every forecaster: it describes what the
# arguments and the output are.

set -euo pipefail

echo '{}'
awk -F '\t' 'NR > 1 && !seen[$1, $3]++ { teams[$1]++; order[++n] = $1 FS $3 }
	END { for (i = 1; i <= n; i++) { split(order[i], key, FS); printf "%s\t%.17g\n", order[i], 1 / teams[key[1]] } }' "$1"
