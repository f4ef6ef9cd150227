# shellcheck shell=bash
# The packages for Debian: dependencies, files, use, removal.
# Installs the packages in a root of their own, whose dpkg knows the packages of this system, so
# that dependencies are checked; builds a project with them; removes them.
root=$scratch/root
make_packages
for package in "${packages[@]}"; do
  dpkg-deb --field "$package"
  dpkg-deb --contents "$package" | awk '{ print $6 }' | grep -vE '^\./(usr/((bin|lib|share)/.*|include/fairway/.*)?)?$' |
    grep -vE '^\./usr/include/$' && fail "$package has files elsewhere"
  name=$(dpkg-deb --field "$package" Package)
  dpkg-deb --fsys-tarfile "$package" | tar -xO "./usr/share/doc/$name/copyright" >"$scratch/copyright"
  grep -q '^Copyright: .*The Fairway authors$' "$scratch/copyright" &&
    grep -q '^ Permission is hereby granted, free of charge' "$scratch/copyright" || fail "no licence in $package"
done
[ "$(id -u)" -eq 0 ] || {
  echo "passed: $case (not installed: only root can use dpkg --root)"
  exit 0
}

mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
# Packages without their lists of files: this root has none of them.
cp /var/lib/dpkg/status "$root/var/lib/dpkg/status"
cp /var/lib/dpkg/arch "$root/var/lib/dpkg/" 2>/dev/null || true
in_root() {
  local status=0
  dpkg --root="$root" --log=/dev/null "$@" >"$scratch/all" 2>&1 || status=$?
  grep -v 'files list file' "$scratch/all" >"$scratch/log" || true
  return "$status"
}
files() { find "$root" -path "$root/var" -prune -o -type f -print -o -type l -print | sort; }
step "a missing dependency is an error"
sed -i '/^Package: libsimdjson-dev$/,/^$/d' "$root/var/lib/dpkg/status"
if in_root --install "${packages[@]}"; then fail "installed without libsimdjson-dev"; fi
grep -q 'libfairway-dev depends on libsimdjson-dev' "$scratch/log" || {
  cat "$scratch/log"
  fail "no dependency"
}
in_root --purge libfairway-dev fairway || {
  cat "$scratch/log"
  fail "purge"
}
cp /var/lib/dpkg/status "$root/var/lib/dpkg/status"
step "install"
in_root --install "${packages[@]}" || {
  cat "$scratch/log"
  fail "install"
}
fairway=$root/usr/bin/fairway
prefix=$root/usr
"$fairway" --version
for file in share/man/man1/fairway.1 share/man/man1/fairway-doctor.1 share/bash-completion/completions/fairway share/zsh/site-functions/_fairway \
  share/fish/vendor_completions.d/fairway.fish; do
  [ -s "$prefix/$file" ] || fail "no $file"
done

step "a project with CMake"
cp -r "$here/app" "$app"
configure Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=
build
run
step "a program with pkg-config"
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
[ "$(pkg-config --variable=fairway fairway | xargs realpath)" = "$fairway" ] || fail "pkg-config: another fairway"
printf '#include <fairway/fairway.hpp>\nint main() { fw::App app; }\n' >"$scratch/plain.cpp"
# shellcheck disable=SC2046,SC2086
"$cxx" -std=c++20 $flags "$scratch/plain.cpp" -o "$scratch/plain" $(pkg-config --cflags --libs fairway)
"$scratch/plain"

step "remove"
in_root --purge libfairway-dev fairway || {
  cat "$scratch/log"
  fail "purge"
}
[ -z "$(files)" ] || {
  files
  fail "files remain"
}
[ ! -e "$root/usr" ] || fail "folders remain: $(find "$root/usr")"
