#!/usr/bin/env bash
# Route files that a compiler reads otherwise than the program, or that made a wrong document: those that are
# rejected have their diagnostics in the first line, those that are accepted the right result.
# Usage: odd_files.sh FAIRWAY INCLUDE_DIR COMPILER...
fairway=$1 include=$2
shift 2
compilers=("$@")
fixtures=$(realpath "$(dirname "$0")/fixtures")
source "$(dirname "$0")/checks.sh"
flags=(-std=c++20 -I"$include")

begin "odd files: rejected files"
mkdir src
cp -r "$fixtures/rejected" src/routes
check_status "the rejected files" 1 "$fairway" doctor --cache-dir cache -- "${flags[@]}"
sed -nE 's|^src/routes/([^:]+):([0-9]+:[0-9]+): error: .*\[([a-z-]+)\]$|\1 \2 \3|p' stderr | sort >found
for file in src/routes/*.cpp; do
  sed -n '1s|^// expect: ||p' "$file" | sed 's/, /\n/g' | sed "s|^|$(basename "$file") |"
done | sort >expected
check "other diagnostics" diff expected found

begin "odd files: accepted files"
rm -r src/routes
cp -r "$fixtures/accepted" src/routes
check "a build" "$fairway" build --cache-dir cache --out-dir out --openapi-file document.json -- "${flags[@]}"
"$fairway" routes --cache-dir cache -- "${flags[@]}" >routes
has routes '/own_header/admin'
grep -o '"\$ref": "#[/x]*"' document.json >references
check "references in data" diff references - <<'END_OF_FILE'
"$ref": "#"
"$ref": "#/x"
"$ref": "#/x"
END_OF_FILE
node -e 'const document = JSON.parse(require("fs").readFileSync("document.json"));
  const at = (pointer) => pointer.slice(2).split("/").reduce((node, step) => node[step], document);
  for (const path of ["anchor", "defs", "esc", "id"]) {
    const { content } = document.paths[`/references/${path}`].get.responses[200];
    let schema = content["application/json"].schema.properties.data;
    for (let steps = 0; schema.$ref && steps < 10; ++steps) schema = at(schema.$ref);
    console.log(path, JSON.stringify(schema));
  }' >referred
check "references in schemas" diff referred - <<'END_OF_FILE'
anchor {"type":"string"}
defs {"type":"integer"}
esc {"type":"boolean"}
id {"type":"number"}
END_OF_FILE
for compiler in "${compilers[@]}"; do
  for file in macro_names enumerators; do
    check "$compiler $file" "$compiler" "${flags[@]}" -fsyntax-only -Iout/include/fairway/routes "src/routes/$file.cpp"
  done
done

begin "odd files: long and deep files"
rm -r src/routes
mkdir src/routes
{
  echo '#include <fairway/fairway.hpp>'
  echo 'constexpr auto k0 = "/x";'
  for ((i = 1; i < 20000; ++i)); do echo "constexpr auto k$i = k$((i - 1));"; done
  echo 'FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {'
  echo '  app.get(k19999, [](fw::Request&, fw::Response& res) { res.end(); });'
  echo '});'
} >src/routes/chain.cpp
{
  echo '#include <fairway/fairway.hpp>'
  echo 'FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {'
  printf '  app.get("/", {.responses = {{200, fw::json_schema(R"({"enum":'
  head -c 20000 /dev/zero | tr '\0' '['
  head -c 20000 /dev/zero | tr '\0' ']'
  echo '})")}}}, [](fw::Request&, fw::Response& res) { res.end(); });'
  echo '});'
} >src/routes/nested.cpp
{
  echo '#include <fairway/fairway.hpp>'
  echo 'static void f0(fw::Response& res) { res.json({{"a", 1}}); }'
  for ((i = 1; i < 8000; ++i)); do echo "static void f$i(fw::Response& res) { f$((i - 1))(res); }"; done
  echo 'FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {'
  echo '  app.get("/helpers", [](fw::Request&, fw::Response& res) { f7999(res); });'
  echo '});'
} >src/routes/calls.cpp
check_status "the deep files" 1 "$fairway" doctor --cache-dir cache -- "${flags[@]}"
has stderr "is the end of a chain of more than 256 constants"
has stderr "the JSON Schema is nested more than 400 levels deep"
