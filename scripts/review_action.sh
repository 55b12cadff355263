#!/usr/bin/env bash
# The steps of action.yml: install, review (with keys, a token that reads), publish (without keys, a token that writes).
# The pull request is read over GitHub's interface; nothing of it is checked out, installed or run.
# Python is isolated (-I), or it would import a json.py or venv.py that lies in the folder.
set -euo pipefail

environment=$RUNNER_TEMP/folkmoot
folder=$RUNNER_TEMP/folkmoot-review
export FOLKMOOT_STORE=$folder/review.sqlite
folkmoot=$environment/bin/folkmoot
read_json() { # the value of review.json under these names
  "$environment/bin/python" -I -c '
import json, sys
value = json.load(open(sys.argv[1], encoding="utf-8"))
for name in sys.argv[2:]:
    value = value[name]
print(value)' "$folder/review.json" "$@"
}

case $1 in
install)
  python -I -m venv "$environment"
  pip=("$environment/bin/python" -I -m pip install --quiet --disable-pip-version-check --no-deps)
  "${pip[@]}" --require-hashes -r "$GITHUB_ACTION_PATH/requirements/run.txt"
  FOLKMOOT_APP='done' "${pip[@]}" --no-build-isolation --editable "$GITHUB_ACTION_PATH"
  ;;
review)
  mkdir -p "$folder"
  words=(--pr "$PULL_REQUEST" --budget "$BUDGET")
  while read -r model; do [ -z "$model" ] || words+=(-m "$model"); done <<<"$MODELS"
  [ "$NEW" != true ] || words+=(--new)
  code=0
  "$folkmoot" review "${words[@]}" --format json -o "$folder/review.json" || code=$?
  # 7 and 8 say what was found, which the other job tells; everything else is a review that did not come about.
  case $code in 0 | 7 | 8) ;; *) exit "$code" ;; esac
  ;;
publish)
  id=$(read_json id)
  [ -n "$id" ] || { echo "There was nothing new to review."; exit 0; }
  code=0
  "$folkmoot" review --again "$id" --post --lines --fail-on "$FAIL_ON" --format sarif -o "$folder/review.sarif" || code=$?
  case $code in 0 | 7 | 8) ;; *) exit "$code" ;; esac
  url=$(read_json artefact url)
  {
    echo "code=$code"
    echo "head=$(read_json artefact head)"
    echo "number=${url##*/}"
  } >>"$GITHUB_OUTPUT"
  ;;
*)
  echo "review_action.sh: say install, review or publish" >&2
  exit 2
  ;;
esac
