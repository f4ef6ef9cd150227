# shellcheck shell=bash
# The packages on a system that has nothing but the base of Debian.
# For tools/nightly.sh, as root. On a system that has nothing but the base of Debian: installs the packages
# with apt, follows the tutorial, and removes them.
root=$scratch/root
make_packages
step "debootstrap"
# shellcheck disable=SC1091
debootstrap --variant=minbase "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$root" >"$scratch/log" 2>&1 ||
  {
    tail "$scratch/log"
    fail "debootstrap"
  }
sources=/etc/apt/sources.list.d/debian.sources # with the updates
if [ -e $sources ]; then
  cp $sources "$root$sources"
  rm -f "$root/etc/apt/sources.list"
fi
mkdir "$root/packages" "$root/sources" "$root/home/reader"
cp "${packages[@]}" "$root/packages"
in_root() { # in_root COMMAND...: the mounts end with it
  unshare --mount --propagation private bash -c 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" &&
      mount --bind "$1" "$0/sources" && shift && exec chroot "$0" env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin \
      HOME=/home/reader LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"' "$root" "$source" "$@"
}
quietly() { "$@" >"$scratch/log" 2>&1 || {
  tail -n 30 "$scratch/log"
  fail "$*"
}; }
# All that has to do with Fairway, without what the reader makes.
traces() { find "$root" \( -path "$root/packages" -o -path "$root/home" -o -path "$root/tmp" \) -prune -o -iname '*fairway*' -print; }
quietly in_root apt-get update
step "install"
quietly in_root bash -c 'apt-get install -y /packages/*.deb'
in_root fairway --version
in_root bash -c 'command -v c++' || fail "no compiler that CMake finds"
in_root dpkg -L fairway libfairway-dev | grep . | sort -u >"$scratch/files"
quietly in_root apt-get install -y --no-install-recommends curl nodejs # node runs the commands of the page
step "follow the tutorial"
in_root node /sources/tests/docs/commands.mjs /usr c++ "" /sources/docs/tutorial.md
step "remove"
quietly in_root apt-get purge -y fairway libfairway-dev
[ -z "$(traces)" ] || {
  traces
  fail "files remain"
}
quietly in_root apt-get autoremove -y --purge
left=()
while read -r file; do
  [ ! -e "$root$file" ] || left+=("$file")
done <"$scratch/files"
quietly in_root dpkg -S "${left[@]}" # folders of other packages
