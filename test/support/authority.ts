// A certificate authority for tests, which this process trusts, and the certificates that it gives out.

import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { makeCertificate } from '../../src/certificates/x509.ts'
import { type Certificate, validNow } from './certificate.ts'

let made: Promise<Certificate> | undefined

/** The authority; from the first call on, TLS in this process trusts it. */
export function testAuthority(): Promise<Certificate> {
  made ??= makeCertificate({
    ...validNow(),
    names: [{ type: 'dns', value: 'authority-of-the-tests' }],
    isAuthority: true,
  }).then((authority) => {
    setDefaultCACertificates([...getCACertificates(), authority.cert])
    return authority
  })
  return made
}

const YEAR_MS = 365 * 86_400_000

/** A certificate for these host names, with that of the authority behind it; `expired` since a year. */
export async function certificateFor(
  names: readonly string[],
  options: { readonly expired?: boolean } = {},
): Promise<Certificate> {
  const authority = await testAuthority()
  const dates = options.expired
    ? { notBefore: Date.now() - 2 * YEAR_MS, notAfter: Date.now() - YEAR_MS }
    : validNow()
  const { cert, key } = await makeCertificate({
    ...dates,
    names: names.map((value) => ({ type: 'dns', value })),
    issuer: authority,
  })
  return { key, cert: `${cert}\n${authority.cert}` }
}
