#!/usr/bin/env bash
# Runs testssl.sh and sslscan against samples/orders with TLS and otherwise its own configuration, with a certificate
# with an elliptic curve and one with RSA. Prints what they complain about, and fails if testssl.sh finds anything above
# LOW, or if sslscan sees an old protocol or a weak cipher.
# Usage: tls_scan.sh [BUILD]. BUILD, default build/ci, has the sample. Needs the Debian packages testssl.sh and sslscan.
# Takes some minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "${1:-build/ci}")
server=$build/samples/orders/orders
[ -x "$server" ] || {
  echo "tls_scan: $server is missing: build the target orders" >&2
  exit 2
}
for tool in testssl sslscan; do
  command -v "$tool" >/dev/null || {
    echo "tls_scan: $tool is missing: install testssl.sh and sslscan" >&2
    exit 2
  }
done

scratch=$(mktemp -d)
pid=
stop() {
  [ -z "$pid" ] || { kill "$pid" && wait "$pid"; } 2>/dev/null || true
  pid=
}
trap 'stop; rm -rf "$scratch"' EXIT

# As a public authority issues them: with a list of revoked certificates, whose lack is a finding.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 90 -subj "/CN=Test authority" \
  -keyout "$scratch/authority.key" -out "$scratch/authority.pem" 2>/dev/null
cat >"$scratch/extensions" <<'END'
subjectAltName = DNS:localhost
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
crlDistributionPoints = URI:http://localhost/revoked.crl
END
certify() { # certify NAME ALGORITHM OPTION
  openssl req -new -newkey "$2" -pkeyopt "$3" -nodes -subj /CN=localhost -keyout "$scratch/$1.key" \
    -out "$scratch/$1.csr" 2>/dev/null
  openssl x509 -req -in "$scratch/$1.csr" -CA "$scratch/authority.pem" -CAkey "$scratch/authority.key" \
    -CAcreateserial -days 89 -extfile "$scratch/extensions" -out "$scratch/$1.pem" 2>/dev/null
}
certify curve ec ec_paramgen_curve:P-256
certify rsa rsa rsa_keygen_bits:2048

failed=
scan() { # scan NAME
  local name=$1 port
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  mkdir "$scratch/$name"
  cp -r samples/orders/config samples/orders/locales "$scratch/$name"
  python3 - "$scratch/$name/config/default.json" "$scratch/$name" "$port" <<'END'
import json, sys

file, files, port = sys.argv[1:]
with open(file) as source:
    config = json.load(source)
config["port"] = int(port)
config["server"] = {"tls": {"certificate": files + ".pem", "key": files + ".key"}}
with open(file, "w") as target:
    json.dump(config, target)
END
  (cd "$scratch/$name" && exec "$server" >log 2>&1) &
  pid=$!
  until (: >"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
    kill -0 "$pid" 2>/dev/null || {
      cat "$scratch/$name/log" >&2
      exit 1
    }
    sleep 0.1
  done
  testssl --quiet --color 0 --warnings batch --nodns none --add-ca "$scratch/authority.pem" \
    --jsonfile "$scratch/$name.json" "localhost:$port" >"$scratch/$name.txt" || true
  sslscan --no-colour --xml="$scratch/$name.xml" "localhost:$port" >/dev/null
  kill -0 "$pid" 2>/dev/null || {
    echo "tls_scan: the server has ended" >&2
    cat "$scratch/$name/log" >&2
    exit 1
  }
  stop
  python3 - "$name" "$scratch/$name.json" "$scratch/$name.xml" <<'END' || failed=yes
import json, sys
from xml.etree import ElementTree

name, findings, scan = sys.argv[1:]
errors = []
with open(findings) as file:
    findings = json.load(file)
known = {"OK", "INFO", "LOW"}
for finding in findings:
    if finding["severity"] in ("OK", "INFO"):
        continue
    print(f'{name}: testssl.sh: {finding["severity"]}: {finding["id"]}: {finding["finding"]}')
    # The openssl of Debian has no GOST.
    if finding["severity"] not in known and finding["id"] != "engine_problem":
        errors.append(f'{finding["id"]} is {finding["severity"]}')
# A scan that was cut off finds nothing either.
ids = {finding["id"] for finding in findings}
for id in ("TLS1_2", "TLS1_3", "cipherlist_NULL", "cert_chain_of_trust", "heartbleed", "secure_client_renego", "LUCKY13", "RC4"):
    if id not in ids:
        errors.append(f"testssl.sh has not tested {id}")

test = ElementTree.parse(scan).find("ssltest")
enabled = [one.get("type") + one.get("version") for one in test.iter("protocol") if one.get("enabled") == "1"]
if enabled != ["tls1.2", "tls1.3"]:
    errors.append(f"sslscan: the protocols are {enabled}")
ciphers = [(one.get("cipher"), one.get("strength")) for one in test.iter("cipher")]
if len(ciphers) < 6:
    errors.append(f"sslscan: the ciphers are {ciphers}")
errors += [f"sslscan: {cipher} is {strength}" for cipher, strength in ciphers if strength not in ("strong", "acceptable")]
if any(one.get("vulnerable") != "0" for one in test.iter("heartbleed")):
    errors.append("sslscan: Heartbleed")
if test.find("certificates/certificate/expired").text != "false":
    errors.append("sslscan: the certificate has expired")
for error in errors:
    print(f"tls_scan: {name}: {error}", file=sys.stderr)
print(f"{name}: {len(findings)} results of testssl.sh, {len(ciphers)} ciphers, {len(errors)} findings above LOW")
sys.exit(bool(errors))
END
}
scan curve
scan rsa
[ -z "$failed" ]
