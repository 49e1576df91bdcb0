// Custom header fields of senders, and fields reserved for the service.

import { LIMITS } from './send-request.ts'

/**
 * Header fields that only the service writes, because the service sets the values or because a sender could impersonate
 * another sender (RFC 5322 §3.6).
 */
const OWNED = new Set([
  'from',
  'sender',
  'reply-to',
  'to',
  'cc',
  'bcc',
  'date',
  'subject',
  'message-id',
  'return-path',
  'received',
  'mime-version',
  'dkim-signature',
  'domainkey-signature',
  'authentication-results',
  'delivered-to',
])
const OWNED_FAMILY = /^(content-|resent-|arc-|received-spf$|x-original-to$)/

/** True if only the service may write this header field; `name` is in lower case. */
export const isOwnedField = (name: string): boolean => OWNED.has(name) || OWNED_FAMILY.test(name)

/** A problem of a custom header field. */
interface CustomFieldProblem {
  readonly code: string
  readonly message: string
}

/** Returns all problems of a custom header field. */
export function customFieldProblems(name: string, value: unknown): CustomFieldProblem[] {
  const problems: CustomFieldProblem[] = []
  // RFC 5322 §2.2: a field name is printable ASCII without the colon.
  if (!/^[\x21-\x39\x3b-\x7e]{1,76}$/.test(name)) {
    const message = 'A header name has 1 to 76 printable ASCII characters and no colon.'
    problems.push({ code: 'invalid_header_name', message })
  } else if (isOwnedField(name.toLowerCase())) {
    const message = `The service writes ${name} itself; use the field of the request if there is one.`
    problems.push({ code: 'header_not_permitted', message })
  }
  if (typeof value !== 'string') return problems
  if (/[\r\n\0]/.test(value)) {
    const message = 'A header value contains no CR, LF or NUL; remove these characters.'
    problems.push({ code: 'invalid_characters', message })
  }
  if (Buffer.byteLength(value) > LIMITS.headerValueBytes) {
    problems.push({
      code: 'too_long',
      message: `A header value has at most ${LIMITS.headerValueBytes} bytes.`,
    })
  }
  return problems
}
