# shellcheck shell=bash
# Each template of `fairway new` with each generator and compiler.
settings=()
# For tools/nightly.sh. The sources of Fairway come from a Git repository, the last commit.
for template in api gateway minimal pages; do
  for generator in Ninja 'Unix Makefiles'; do
    rm -rf "$scratch"/shop*
    create shop --template "$template"
    check_project "$generator"
    for compiler in g++ clang++-19; do
      rm -rf "$scratch/build"
      check_project "$generator" -DFAIRWAY_PRECOMPILE_HEADER=OFF -DCMAKE_CXX_COMPILER="$compiler" \
        -DCMAKE_CXX_FLAGS="-O2 -Wall -Wextra -Werror $flags"
    done
    create shop-from-git --template "$template" --fairway-source "file://$source/.git#HEAD"
    check_project "$generator" -DFAIRWAY_COMPILER_EXECUTABLE="$fairway" -DFAIRWAY_DOCS_VIEWER=OFF
  done
done
