// A certificate authority for tests, which this process trusts, and the certificates that it gives out.

import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { generate } from 'selfsigned'
import type { Certificate } from './certificate.ts'

let made: Promise<Certificate> | undefined

/** The authority; from the first call on, TLS in this process trusts it. */
export function testAuthority(): Promise<Certificate> {
  made ??= generate([{ name: 'commonName', value: 'Authority of the tests' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  }).then((pems) => {
    setDefaultCACertificates([...getCACertificates(), pems.cert])
    return { key: pems.private, cert: pems.cert }
  })
  return made
}

/** A certificate for these host names, with that of the authority behind it; `expired` since a year. */
export async function certificateFor(
  names: readonly string[],
  options: { readonly expired?: boolean } = {},
): Promise<Certificate> {
  const authority = await testAuthority()
  const year = 365 * 86_400_000
  const dates = options.expired
    ? { notBeforeDate: new Date(Date.now() - 2 * year), notAfterDate: new Date(Date.now() - year) }
    : {}
  const pems = await generate([{ name: 'commonName', value: names[0] ?? 'nobody' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    ca: authority,
    ...dates,
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'subjectAltName', altNames: names.map((value) => ({ type: 2 as const, value })) },
    ],
  })
  return { key: pems.private, cert: `${pems.cert}\n${authority.cert}` }
}
