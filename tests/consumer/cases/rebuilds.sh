# shellcheck shell=bash
# What a change makes a build do, with each compiler and generator that is there.
since_mark() { # since_mark FOLDER PATTERN: names of the files written
  find "$scratch/build/$1" -name "$2" -newer "$scratch/mark" -printf '%f\n' | sort | xargs
}
change() { # change FILE SED-SCRIPT OBJECTS TABLES: written then, and no others
  sleep 0.1
  touch "$scratch/mark"
  sleep 0.1
  sed -i "$2" "$app/src/$1"
  build >"$scratch/log" 2>&1 || {
    cat "$scratch/log"
    fail "$pair: the build after a change of $1"
  }
  [ "$(since_mark . '*.o')" = "$3" ] || fail "$pair: for $1 it compiles $(since_mark . '*.o')"
  [ "$(since_mark fairway '*app_table.?pp')" = "$4" ] || fail "$pair: wrong table after $1"
}
for cxx in g++ clang++-19; do
  command -v "$cxx" >/dev/null || continue
  for generator in Ninja 'Unix Makefiles'; do
    pair="$cxx, $generator"
    rm -rf "$app" "$scratch/build"
    cp -r "$here/app" "$app"
    printf '#include <fairway/app_table.hpp>\nint main() { (void)fairway_app(); }\n' >"$app/src/main.cpp"
    configure_preprocessing "$generator" >/dev/null
    build >/dev/null
    change routes/notes.cpp 's/value_or(1)/value_or(3)/' notes.cpp.o ''
    change limits.hpp 's|kListPath = "/"|kListPath = "/all"|' 'app_table.cpp.o notes.cpp.o' app_table.cpp
    grep -q '"/notes/all"' "$scratch/build/fairway/consumer/app_table.cpp" || fail "$pair: an old table"
  done
done
