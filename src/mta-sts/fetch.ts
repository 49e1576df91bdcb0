// Fetches the MTA-STS policy of a domain over HTTPS (RFC 8461 §3.3).

import type { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import { type MtaStsPolicy, parsePolicy } from './policy.ts'

/** Reason why there is no policy, by RFC 8460 §4.3.2.2, and a sentence. */
export interface FetchFailure {
  readonly failure: 'sts-policy-fetch-error' | 'sts-webpki-invalid' | 'sts-policy-invalid'
  readonly detail: string
}

/** RFC 8461 §3.3 suggests a minute, and §3.2 64 KiB. */
const TIMEOUT_MS = 60_000
const MAX_BYTES = 64 * 1024

/** Fetches `https://mta-sts.<domain>/.well-known/mta-sts.txt`; never rejects. `port` is 443 outside of tests. */
export async function fetchPolicy(
  http: OutgoingHttp,
  domain: string,
  port: number,
): Promise<MtaStsPolicy | FetchFailure> {
  const url = new URL(`https://mta-sts.${domain}:${port}/.well-known/mta-sts.txt`)
  const answer = await http.request(url, { method: 'GET', timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES })
  if ('problem' in answer) {
    const failure = answer.problem === 'certificate' ? 'sts-webpki-invalid' : 'sts-policy-fetch-error'
    return { failure, detail: answer.detail }
  }
  // RFC 8461 §3.3: only status 200 counts, and redirects are not followed.
  if (answer.status !== 200) {
    return { failure: 'sts-policy-fetch-error', detail: `The host answered with status ${answer.status}.` }
  }
  // RFC 8461 §3.2: prevents policies published through uploads to a web site.
  const type = answer.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'text/plain') {
    return { failure: 'sts-policy-invalid', detail: 'The answer is not of type text/plain.' }
  }
  const policy = parsePolicy(answer.body.toString('utf8'))
  if (typeof policy !== 'string') return policy
  return { failure: 'sts-policy-invalid', detail: `The policy cannot be used: ${policy}.` }
}
