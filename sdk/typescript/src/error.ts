// The error that every call throws if the request fails: a problem of the service, or a failure on the way to it.

import type { Problem } from './generated/types.ts'

/** Codes of failures without a problem document of the service; `status` tells the rest. */
export type FailureCode =
  | 'connection_failed'
  | 'timeout'
  | 'certificate_untrusted'
  | 'unexpected_response'
  | 'response_too_large'

/** Failure of a request. `message` contains the cause and the remedy; neither it nor any property contains the key. */
export class PostriderError extends Error {
  override readonly name = 'PostriderError'
  /** HTTP status; 0 if there is no response. */
  readonly status: number
  /** Code of the problem document (`validation_failed`), or of a failure on the way to the service. */
  readonly code: Problem['code'] | FailureCode
  /** All invalid fields of the request, each with its path; empty for any other problem. */
  readonly errors: NonNullable<Problem['errors']>
  /** ID of the request in the request log of the service. */
  readonly request_id: string | undefined
  /** The complete problem document (RFC 9457). */
  readonly problem: Problem | undefined
  /** Time in milliseconds after which the service wants the request to be repeated. */
  readonly retryAfterMs: number | undefined

  constructor(
    message: string,
    about: {
      readonly status?: number
      readonly code: PostriderError['code']
      readonly problem?: Problem
      readonly headers?: Headers
      readonly cause?: unknown
    },
  ) {
    super(message, about.cause === undefined ? {} : { cause: about.cause })
    this.status = about.status ?? 0
    this.code = about.code
    this.problem = about.problem
    this.errors = about.problem?.errors ?? []
    this.request_id = about.problem?.request_id ?? about.headers?.get('x-request-id') ?? undefined
    this.retryAfterMs = about.headers === undefined ? undefined : retryAfterOf(about.headers)
  }
}

/** Longest `Retry-After` that is read, in seconds; a longer one counts as this. */
const MAX_RETRY_AFTER_S = 86_400

/**
 * Reads `Retry-After` (RFC 9110 §10.2.3), in milliseconds. A date counts from the `Date` of the response, because the
 * clock of this machine may be wrong.
 */
function retryAfterOf(headers: Headers): number | undefined {
  const value = headers.get('retry-after')?.trim()
  if (value === undefined) return undefined
  if (/^\d{1,9}$/.test(value)) return Math.min(Number(value), MAX_RETRY_AFTER_S) * 1_000
  const from = Date.parse(headers.get('date') ?? '')
  const ms = Date.parse(value) - (Number.isNaN(from) ? Date.now() : from)
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_S * 1_000)
}

/** Returns the error of a response with a problem document. */
export const ofProblem = (problem: Problem, headers: Headers): PostriderError => {
  const fields = (problem.errors ?? []).map(({ path, message }) => `${path}: ${message}`)
  return new PostriderError([problem.detail ?? problem.title, ...fields.slice(0, 10)].join('\n'), {
    ...{ status: problem.status, code: problem.code, problem, headers },
  })
}

/** Codes of Node for a certificate that does not fit. */
const CERTIFICATE =
  /^(CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/

/** Returns the error of a request without a complete response. */
export function ofConnection(error: unknown, origin: string): PostriderError {
  const causes: { readonly code?: unknown; readonly message?: unknown }[] = []
  for (let one = error; one instanceof Error && causes.length < 5; one = one.cause) causes.push(one)
  const code = causes.map((one) => one.code).find((one) => typeof one === 'string') as string | undefined
  const words = String(code ?? causes.at(-1)?.message ?? error)
  if (code !== undefined && CERTIFICATE.test(code)) {
    return new PostriderError(
      `The certificate of ${origin} is not trusted (${code}). Install a certificate of a public authority, or let NODE_EXTRA_CA_CERTS name the file of your own authority.`,
      { code: 'certificate_untrusted', cause: error },
    )
  }
  return new PostriderError(
    `There is no complete response from ${origin} (${words}). Check the address, and whether the service runs.`,
    { code: 'connection_failed', cause: error },
  )
}

/** Returns the error of a response that is not from the service, such as the page of a proxy. */
export function ofStranger(response: Response, origin: string): PostriderError {
  const { status, headers } = response
  const location = headers.get('location')
  const type = headers.get('content-type')?.split(';')[0] ?? 'no content type'
  const seen =
    location === null ? `${type} with status ${status}` : `a redirect with status ${status} to ${location}`
  return new PostriderError(
    `The response from ${origin} is ${seen}, and not a response of Postrider. Check \`url\`, and the proxy in front of the service.`,
    { status, code: 'unexpected_response', headers },
  )
}
