// The replies of the SMTP servers: functions to make and throw replies, and the reply for each problem.

import { Problem, type ProblemCode } from '../model/problem.ts'
import type { Reply } from '../model/reply.ts'

/** Makes a reply (RFC 5321 §4.2, RFC 3463). */
export const replyWith = (code: number, enhanced: string, text: string): Reply => ({ code, enhanced, text })

/** Error that ends a command with the given reply. */
export class Refusal extends Error {
  readonly reply: Reply

  constructor(code: number, enhanced: string, text: string)
  constructor(reply: Reply)
  constructor(first: number | Reply, enhanced = '', text = '') {
    const reply = typeof first === 'number' ? replyWith(first, enhanced, text) : first
    super(reply.text)
    this.reply = reply
  }
}

// A reply line has at most 512 bytes, including the codes and the CRLF (RFC 5321 §4.5.3.1.5).
const MAX_TEXT = 480

/**
 * Returns the text after the code, on one line of ASCII; non-ASCII characters, which may come from a client, become
 * `?`.
 */
export function wireText({ enhanced, text }: Reply): string {
  const line = `${enhanced === undefined ? '' : `${enhanced} `}${text}`
  return line.replace(/[^ -~]+/g, '?').slice(0, MAX_TEXT)
}

/** Returns the bytes of a reply: one line for each text, without control characters. */
export const replyLines = (code: number, enhanced: string, texts: readonly string[]): string =>
  texts
    .map((text, index) => {
      const separator = index < texts.length - 1 ? '-' : ' '
      const line = `${code}${separator}${enhanced === '' ? '' : `${enhanced} `}${text}`
      return `${line.replace(/[\0-\x1f\x7f]/g, ' ')}\r\n`
    })
    .join('')

/** Reply codes (RFC 5321 §4.2.2, RFC 3463) of all problems, even of problems that cannot occur over SMTP. */
const REPLIES: Record<ProblemCode, readonly [code: number, enhanced: string]> = {
  malformed_request: [554, '5.6.0'],
  authentication_failed: [535, '5.7.8'],
  second_factor_required: [535, '5.7.8'],
  key_kind_not_permitted: [550, '5.7.1'],
  scope_not_permitted: [550, '5.7.1'],
  network_not_permitted: [550, '5.7.1'],
  recipient_not_permitted: [550, '5.7.1'],
  inbox_credential: [550, '5.7.1'],
  session_required: [550, '5.7.1'],
  changed_meanwhile: [554, '5.0.0'],
  origin_not_permitted: [550, '5.7.1'],
  recent_login_required: [550, '5.7.1'],
  role_not_permitted: [550, '5.7.1'],
  domain_not_permitted: [550, '5.7.1'],
  domain_not_verified: [550, '5.7.1'],
  account_suspended: [550, '5.7.1'],
  sending_allowance_exhausted: [550, '5.7.1'],
  limit_reached: [550, '5.7.1'],
  verification_credits_exhausted: [550, '5.7.1'],
  not_found: [550, '5.7.1'],
  method_not_allowed: [550, '5.7.1'],
  content_refused: [550, '5.6.0'],
  content_removed: [554, '5.0.0'],
  conflict: [451, '4.3.0'],
  body_too_large: [552, '5.3.4'],
  validation_failed: [554, '5.6.0'],
  rate_limit_exceeded: [450, '4.7.1'],
  internal_error: [451, '4.3.0'],
  not_available: [550, '5.7.1'],
  unavailable: [452, '4.3.1'],
}

/** Returns the reply for an error of a command; undefined for an unexpected error. */
export function replyOfProblem(error: unknown): Reply | undefined {
  if (error instanceof Refusal) return error.reply
  if (!(error instanceof Problem)) return undefined
  const [code, enhanced] = REPLIES[error.code]
  return replyWith(code, enhanced, error.message)
}

/** The reply for an unexpected error; the client may try again. */
export const UNFORESEEN = replyWith(451, '4.3.0', 'Internal error; nothing was accepted, please try again')
