#!/bin/bash
# Fit a model of the extension to the first matches of a file, and forecast all of them.
#
#   bench/predict/model.sh MODEL FILE TRAIN EVALUATIONS SEED [PARAMS]
#
# bench/predict.sh calls this, as it calls every forecaster: it describes what the
# arguments and the output are.  Nothing is random, so the seed has no influence.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
export PGOPTIONS="-c client_min_messages=warning -c jit=off -c max_parallel_workers_per_gather=0"

arguments=(-v "model=$1" -v "train=$3" -v "evaluations=$4")
[ $# -lt 6 ] || arguments+=(-v "plan=$6")
psql -qXAt -v ON_ERROR_STOP=1 "${arguments[@]}" -f model_run.sql <"$2"
