#!/usr/bin/env bash
# The manual and the completion of shells. Usage: manual.sh FAIRWAY
set -euo pipefail
fairway=$(realpath "$1")

fail() { echo "FAILED: $*" >&2; exit 1; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir -p project/src project/build && touch project/file.json

# Each command has a page, with every option of its help.
"$fairway" manual --out-dir man1
commands=$("$fairway" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ "$(find man1 -name '*.1' | wc -l)" -eq $(($(wc -w <<<"$commands") + 1)) ] || fail "not a page for each command"
for command in $commands; do
  page=man1/fairway-$command.1
  "$fairway" manual "$command" | cmp - "$page"
  for section in NAME SYNOPSIS DESCRIPTION OPTIONS 'EXIT STATUS' EXAMPLES 'SEE ALSO'; do
    grep -qx ".SH $section" "$page" || fail "$page has no section $section"
  done
  groff -man -Tascii -P-cbou -ww "$page" >text 2>warnings || fail "groff: $page"
  [ ! -s warnings ] || fail "groff: $(cat warnings)"
  for option in $("$fairway" help "$command" | grep -oE '^  (-[a-z], )?--?[a-z-]+' | tr -d ,); do
    grep -qE -- "^ +(-[a-z], )?$option\b" text || fail "$page lacks $option"
  done
done
grep -qF 'usage error or environment error' text || fail "no exit status 2"
"$fairway" manual | grep -qF '.BR fairway\-doctor (1)' || fail "no reference to fairway-doctor"

# bash: what Tab offers.
"$fairway" completion bash >fairway.bash
offers() {  # offers WORDS... EXPECTED
  local expected=${*: -1} found
  found=$(cd project && bash -c '
    source ../fairway.bash
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _fairway 2>/dev/null
    printf "%s\n" "${COMPREPLY[@]}" | sort | xargs' bash "${@:1:$#-1}")
  [ "$found" = "$expected" ] || fail "bash offers '$found' instead of '$expected' for: ${*:1:$#-1}"
}
offers fairway doc doctor
offers fairway doctor --color '' 'always auto never'
offers fairway doctor --color a 'always auto'
offers fairway doctor --no- '--no-cache --no-config'
offers fairway doctor -p '' 'build src'
offers fairway doctor --config f file.json
offers fairway doctor --jobs '' ''
offers fairway completion z zsh
offers fairway help do doctor

# The other shells, if they are installed.
"$fairway" completion zsh >_fairway
"$fairway" completion fish >fairway.fish
if command -v zsh >/dev/null; then zsh -n _fairway; fi
if command -v fish >/dev/null; then
  found=$(HOME=$scratch fish -c 'source fairway.fish; complete -C "fairway doctor --color a"' | cut -f 1 | xargs)
  [ "$found" = 'always auto' ] || fail "fish offers '$found'"
fi
