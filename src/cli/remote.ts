// Sends the requests of commands to an installation elsewhere over HTTP.

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '../model/problem.ts'
import type { ApiRequest, ApiResponse, Transport } from './api.ts'

/** Installation elsewhere, and the key that commands call it with. */
export interface Remote {
  /** URL without `/v1` and without a slash at its end. */
  readonly url: string
  readonly key: string
}

/** Time limit of a request in milliseconds, which is longer than an endpoint waits for DNS records. */
const TIMEOUT_MS = 150_000
/** Maximum time in milliseconds for which a command waits as an installation asks it to. */
const MAX_RETRY_AFTER_MS = 60_000
/** Maximum number of times that one request is sent again because the installation asked for a pause. */
const MAX_PAUSES = 5
/** Maximum size of a response in characters. */
const MAX_BODY = 256 * 1_024 * 1_024

/** Returns the transport to an installation elsewhere. */
export function remoteTransport(remote: Remote): Transport {
  return async (request) => {
    // A repeated key gets the first response, so that a request may be sent again after a cut connection.
    const idempotency = request.method === 'POST' ? { 'idempotency-key': randomUUID() } : {}
    const sent = { ...request, headers: { ...request.headers, ...idempotency } }
    for (let pauses = 0; ; pauses++) {
      const answer = await sendTwice(remote, sent)
      const { waitMs } = answer
      if (answer.status !== 429 || waitMs === undefined) return answer
      if (waitMs > MAX_RETRY_AFTER_MS || pauses === MAX_PAUSES) return answer
      await sleep(waitMs)
    }
  }
}

/** Sends a request, and sends it once more if the connection is cut. */
async function sendTwice(remote: Remote, request: ApiRequest): Promise<ApiResponse> {
  try {
    return await send(remote, request)
  } catch (error) {
    if (!CUT.has(codeOf(error))) throw unreachable(remote, request, error)
  }
  try {
    return await send(remote, request)
  } catch (error) {
    throw unreachable(remote, request, error)
  }
}

async function send({ url, key }: Remote, { method, path, headers, body }: ApiRequest): Promise<ApiResponse> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { accept: 'application/json', ...headers, authorization: `Bearer ${key}` },
    ...(body === undefined ? {} : { body }),
    // The key is sent to no other address than the one that the user has named.
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel()
    const target = response.headers.get('location') ?? 'no address'
    throw new Problem(
      'unavailable',
      `${url} redirects to ${target.slice(0, 300)}; give the URL at which the installation itself answers.`,
    )
  }
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    body: await textOf(response, url),
    waitMs: waitIn(response.headers),
  }
}

/** Returns the body of a response. Throws `unavailable` for a body without an end. */
async function textOf({ body }: Response, url: string): Promise<string> {
  const pieces: string[] = []
  const decoder = new TextDecoder()
  let size = 0
  for await (const piece of body ?? []) {
    size += piece.length
    if (size > MAX_BODY) throw new Problem('unavailable', `${url} answers with more than ${MAX_BODY} bytes.`)
    pieces.push(decoder.decode(piece, { stream: true }))
  }
  return pieces.join('') + decoder.decode()
}

/**
 * Returns the milliseconds of a `Retry-After` field, which has seconds or a date (RFC 9110 §10.2.3). A date counts from
 * the `Date` of the response, because the clock of this machine may be wrong.
 */
function waitIn(headers: Headers): number | undefined {
  const field = headers.get('retry-after')
  if (field === null) return undefined
  if (/^\d{1,9}$/.test(field)) return Number(field) * 1_000
  const from = Date.parse(headers.get('date') ?? '')
  const waitMs = Date.parse(field) - (Number.isNaN(from) ? Date.now() : from)
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs)
}

/** Error codes of a connection that ended before the response. */
const CUT: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'ECONNABORTED'])

/** Error codes of certificates that Node.js does not trust. */
const UNTRUSTED = /^(?:CERT_|ERR_TLS_CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH)/

/** Returns the code of an error, or its name, or its message. */
function codeOf(error: unknown): string {
  const { code, name, cause } = error as NodeJS.ErrnoException
  if (typeof code === 'string') return code
  if (cause !== undefined) return codeOf(cause)
  return name === 'Error' ? (error as Error).message : name
}

/** Returns the problem of a request without a response, with the remedy. */
function unreachable({ url }: Remote, { method }: ApiRequest, error: unknown): Error {
  if (error instanceof Problem) return error
  const { host, hostname } = new URL(url)
  const code = codeOf(error)
  const say = (sentence: string): Problem => new Problem('unavailable', sentence, { cause: error })
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return say(`The host ${hostname} cannot be found (${code}); check the URL and the DNS.`)
  }
  if (code === 'ECONNREFUSED') {
    return say(`Nothing listens at ${host} (ECONNREFUSED); check the URL, and that the service runs.`)
  }
  if (code === 'TimeoutError') {
    return say(`${url} did not answer within ${TIMEOUT_MS / 1_000} seconds; try again later.`)
  }
  if (UNTRUSTED.test(code)) {
    return say(
      `The certificate of ${host} is not trusted (${code}); use the host name in the certificate, or name the file with its authority in NODE_EXTRA_CA_CERTS.`,
    )
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) {
    return say(
      `${host} does not answer with TLS (${code}); check the port, and whether the URL begins with http:.`,
    )
  }
  if (CUT.has(code)) {
    const unsure =
      method === 'GET' ? '' : ' The change may have been made: look before you repeat the command.'
    return say(`${url} cut the connection before its answer was complete (${code}); try again.${unsure}`)
  }
  if (code.startsWith('HPE_')) return say(`${host} does not answer with HTTP (${code}); check the port.`)
  return say(`${url} cannot be reached (${code}); check the URL and the network.`)
}
