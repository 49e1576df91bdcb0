// Makes certificates in a separate thread: the libraries take 30 MB, and an installation needs the libraries only a few
// times a year.

import { WorkerThread } from '../threads/worker-thread.ts'
import type * as X509 from './x509.ts'

type Making = Pick<
  typeof X509,
  'makeCertificate' | 'makeRequest' | 'makeChallengeCertificate' | 'renewalIdOf'
>
type Made<Kind extends keyof Making> = Awaited<ReturnType<Making[Kind]>>

/** Calls that the thread serves; all of their arguments can be cloned. */
export type MakingJobs = {
  readonly [Kind in keyof Making]: {
    readonly job: Parameters<Making[Kind]>
    readonly result: Made<Kind>
  }
}

/** Heap size of the thread in MB, four times the need of one call. */
const HEAP_MB = 128

/** Makes a certificate and its private key, in PEM. */
export const makeCertificate = (
  options: Omit<X509.CertificateOptions, 'extensions'>,
): Promise<Made<'makeCertificate'>> => inThread('makeCertificate', options)

/** Makes a key and the certificate request for these host names (RFC 2986), in DER. */
export async function makeRequest(names: readonly string[]): Promise<Made<'makeRequest'>> {
  const { request, key } = await inThread('makeRequest', names)
  return { request: Buffer.from(request), key }
}

/**
 * Makes the certificate that answers a TLS-ALPN-01 challenge (RFC 8737 §3). `digest` is the SHA-256 of the key
 * authorization.
 */
export const makeChallengeCertificate = (
  name: string,
  digest: Buffer,
  now: number,
): Promise<Made<'makeChallengeCertificate'>> => inThread('makeChallengeCertificate', name, digest, now)

/**
 * Returns the identifier of a certificate at a renewal information resource (RFC 9773 §4.1); undefined if the
 * certificate cannot have an identifier.
 */
export const renewalIdOf = (chain: string): Promise<Made<'renewalIdOf'>> => inThread('renewalIdOf', chain)

async function inThread<Kind extends keyof Making>(
  kind: Kind,
  ...given: Parameters<Making[Kind]>
): Promise<Made<Kind>> {
  const thread = new WorkerThread<MakingJobs>(new URL('./making-thread.ts', import.meta.url), HEAP_MB)
  try {
    const answer = await thread.run({ kind, job: given }, [])
    if (answer.kind !== 'done') throw new Error(`no certificate was made: ${answer.reason}`)
    return answer.result as Made<Kind>
  } finally {
    await thread.end()
  }
}
