// A certificate authority that the test processes trust, and certificates issued by it.

import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { makeCertificate } from '../../src/certificates/x509.ts'
import { type Certificate, validNow } from './certificate.ts'

let made: Promise<Certificate> | undefined

/** Creates the authority for child processes: all of their threads trust the authority from the start. */
export async function makeAuthority(): Promise<void> {
  const authority = await newAuthority()
  const [pem, file] = [join(tmpdir(), 'authority.pem'), join(tmpdir(), 'authority.json')]
  await writeFile(pem, authority.cert)
  await writeFile(file, JSON.stringify(authority), { mode: 0o600 })
  process.env.NODE_EXTRA_CA_CERTS = pem
  process.env.TEST_AUTHORITY = file
}

/**
 * Returns the authority of this test run; if there is none, creates an authority that this thread trusts from now on.
 */
export function testAuthority(): Promise<Certificate> {
  const { TEST_AUTHORITY: file } = process.env
  made ??= file === undefined ? ownAuthority() : Promise.resolve(JSON.parse(readFileSync(file, 'utf8')))
  return made
}

async function ownAuthority(): Promise<Certificate> {
  const authority = await newAuthority()
  setDefaultCACertificates([...getCACertificates(), authority.cert])
  return authority
}

const newAuthority = (): Promise<Certificate> =>
  makeCertificate({
    ...validNow(),
    names: [{ type: 'dns', value: 'authority-of-the-tests' }],
    isAuthority: true,
  })

const YEAR_MS = 365 * 86_400_000

/**
 * Returns a certificate for these host names with the authority in its chain; with `expired`, the certificate expired a
 * year ago.
 */
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
