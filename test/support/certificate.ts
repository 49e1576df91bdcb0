// A self-signed certificate for test hosts, created once per process.

import { makeCertificate } from '../../src/certificates/x509.ts'
import type { CertificateAndKey } from '../../src/lib/certificate-files.ts'

export type Certificate = CertificateAndKey

const DAY_MS = 86_400_000
const YEAR_MS = 365 * DAY_MS

/** Returns a validity period that includes the present time. */
export const validNow = (): { readonly notBefore: number; readonly notAfter: number } => ({
  notBefore: Date.now() - DAY_MS,
  notAfter: Date.now() + YEAR_MS,
})

let made: Promise<Certificate> | undefined

/** Returns the self-signed certificate, which names `mx.test`, `localhost` and 127.0.0.1. */
export function testCertificate(): Promise<Certificate> {
  made ??= makeCertificate({
    ...validNow(),
    names: [
      { type: 'dns', value: 'mx.test' },
      { type: 'dns', value: 'localhost' },
      { type: 'ip', value: '127.0.0.1' },
    ],
  })
  return made
}
