# Writes the examples of a page: each block of C++, HTML or JavaScript whose first line is a comment with
# src/PATH to OUT/src/PATH, and the first block of JSON to OUT/config/PAGE.json. Usage: awk -v out=OUT -v page=PAGE -f extract.awk FILE
/^```json$/ && !has_config { file = out "/config/" page ".json"; has_config = 1; next }
/^```(cpp|html|js)$/ { begins = 1; next }
/^```$/ { if (file) close(file); file = ""; begins = 0; next }
begins {
  begins = 0
  if ($0 ~ /^(\/\/|<!--) src\//) {
    file = out "/" $2
    folder = file
    sub(/\/[^\/]*$/, "", folder)
    system("mkdir -p '" folder "'")
  }
}
file { print > file }
