// A certificate for localhost that signs itself.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Writes NAME.pem and NAME.key.pem into the folder (ECDSA, P-256), and returns their paths. */
export function makeCertificate(folder, name) {
  const certificate = join(folder, `${name}.pem`);
  const key = join(folder, `${name}.key.pem`);
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '30'];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  execFileSync('openssl', ['req', '-x509', ...kind, ...names, '-keyout', key, '-out', certificate], {
    stdio: 'ignore',
  });
  return { certificate, key };
}

/**
 * A case with what its servers need for TLS, if it is over TLS: the same certificate. userver reads the authorities of clients for each
 * connection, although it asks for no certificate: the file of the system takes 35 ms.
 */
export function withTls(test, { certificate, key }) {
  if (!test.isSecure) return test;
  const environment = {
    ...test.environment,
    BENCH_CERTIFICATE: certificate,
    BENCH_KEY: key,
    SSL_CERT_FILE: certificate,
  };
  return { ...test, environment, config: { ...test.config, server: { tls: { certificate, key } } } };
}
