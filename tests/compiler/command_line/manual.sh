#!/usr/bin/env bash
# The manual and the completion of shells. Usage: manual.sh FAIRWAY
fairway=$(realpath "$1")
source "$(dirname "$0")/checks.sh"

mkdir -p project/src project/build && touch project/file.json

begin "manual: each command has a page, with every option of its help"
"$fairway" manual --out-dir man1
commands=$("$fairway" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
check_equal "number of pages" $(($(wc -w <<<"$commands") + 1)) "$(find man1 -name '*.1' | wc -l)"
for command in $commands; do
  page=man1/fairway-$command.1
  "$fairway" manual "$command" | check "manual $command" cmp - "$page"
  for section in NAME SYNOPSIS DESCRIPTION OPTIONS 'EXIT STATUS' EXAMPLES 'SEE ALSO'; do
    check "$page has a section $section" grep -x ".SH $section" "$page"
  done
  groff -man -Tascii -P-cbou -ww "$page" >text 2>warnings || fail "groff: $page"
  check_empty "groff" "$(cat warnings)"
  for option in $("$fairway" help "$command" | grep -oE '^  (-[a-z], )?--?[a-z-]+' | tr -d ,); do
    check "$page has $option" grep -E -- "^ +(-[a-z], )?$option\b" text
  done
done
has text 'usage error or environment error'
"$fairway" manual | check "a reference to fairway-doctor" grep -F '.BR fairway\-doctor (1)'

begin "manual: completion in bash"
"$fairway" completion bash >fairway.bash
offers() { # offers WORDS... EXPECTED
  local expected=${*: -1} found
  found=$(cd project && bash -c '
    source ../fairway.bash
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _fairway 2>/dev/null
    printf "%s\n" "${COMPREPLY[@]}" | sort | xargs' bash "${@:1:$#-1}")
  check_equal "completion of: ${*:1:$#-1}" "$expected" "$found"
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

begin "manual: completion in zsh and fish, if they are installed"
"$fairway" completion zsh >_fairway
"$fairway" completion fish >fairway.fish
if command -v zsh >/dev/null; then zsh -n _fairway; fi
if command -v fish >/dev/null; then
  found=$(HOME=$scratch fish -c 'source fairway.fish; complete -C "fairway doctor --color a"' | cut -f 1 | xargs)
  check_equal "completion in fish" 'always auto' "$found"
fi
