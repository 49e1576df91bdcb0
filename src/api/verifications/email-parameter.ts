// The address in the query of a verification.

import type { FastifyRequest } from 'fastify'
import { isAddress, parseAddress } from '../../model/address.ts'
import { invalidFields } from '../../model/problem.ts'

/**
 * The address to check, trimmed. A `+` that was not encoded arrives as a space; where a space cannot be meant it is
 * read as the `+` that it is: or every tagged address of a careless caller would be called invalid.
 */
export function emailParameter(request: FastifyRequest): string {
  const given = (request.query as { email: string }).email.trim()
  if (given === '') {
    throw invalidFields([{ path: 'email', code: 'required', message: 'It is empty: give an address.' }])
  }
  if (!given.includes(' ') || isAddress(parseAddress(given))) return given
  const query = request.raw.url?.split('?', 2)[1] ?? ''
  const literal = new URLSearchParams(query.replaceAll('+', '%2B')).get('email')?.trim() ?? given
  return isAddress(parseAddress(literal)) ? literal : given
}
