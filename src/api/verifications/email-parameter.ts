// The address in the query of a verification.

import { isAddress, parseAddress } from '../../model/address.ts'
import { invalidFields, Problem } from '../../model/problem.ts'
import type { EmailQuery } from '../contract/verification.ts'
import type { RequestOf } from '../route.ts'

/**
 * The address to check, trimmed. A `+` that was not encoded arrives as a space; where a space cannot be meant it is
 * read as the `+` that it is: or every tagged address of a careless caller would be called invalid.
 */
export function emailParameter(request: RequestOf<string, { querystring: typeof EmailQuery }>): string {
  const query = /\?(.*)$/s.exec(request.raw.url ?? '')?.[1] ?? ''
  refuseOtherEncodings(query)
  const given = request.query.email.trim()
  if (given === '') {
    throw invalidFields([{ path: 'email', code: 'required', message: 'It is empty: give an address.' }])
  }
  if (!given.includes(' ') || isAddress(parseAddress(given))) return given
  const literal = new URLSearchParams(query.replaceAll('+', '%2B')).get('email')?.trim() ?? given
  return isAddress(parseAddress(literal)) ? literal : given
}

/** `m%FCller` of another encoding stays as it stands when the query is read: it would be verified as `m%FCller`. */
function refuseOtherEncodings(query: string): void {
  try {
    decodeURIComponent(query.replace(/%(?![\da-f]{2})/gi, '%25'))
  } catch {
    const detail = 'The address is not UTF-8: percent-encode it as UTF-8, ü as %C3%BC.'
    throw new Problem('malformed_request', detail)
  }
}
