// The domain in the path of a request in the form of Mailgun, and the address below which the request was made.

import type { FastifyRequest } from 'fastify'
import { callerInDomain, callerOf, senderOfRequest } from '../../api/caller.ts'
import { permittedDomain } from '../../api/domain-of-request.ts'
import { FormFields } from '../../http/form-fields.ts'
import { Problem } from '../../model/problem.ts'
import type { Sender } from '../../submission/authorize.ts'
import type { FieldNames, Fields } from '../reading.ts'
import type { Translation } from '../translation.ts'

/**
 * Enters the domain in the path: endpoints that the request calls afterwards work in this domain. Throws `not_found`
 * with Mailgun's text, by which clients recognize an unknown domain.
 */
export async function enterDomain(translation: Translation): Promise<Sender> {
  const { request, services } = translation
  const named = translation.param('domain')
  const caller = callerOf(request)
  if (caller.sender?.domainName === named.toLowerCase()) return caller.sender
  try {
    const domain = await permittedDomain(services.read, caller, named)
    if (caller.key?.kind === 'management') request.caller = callerInDomain(caller.key, domain)
    return senderOfRequest(request)
  } catch (error) {
    const isAbsent = error instanceof Problem && /^(?:not_found|domain_not_permitted)$/.test(error.code)
    throw isAbsent ? new Problem('not_found', `Domain not found: ${named.slice(0, 253)}`) : error
  }
}

/** Returns the form of a request; a missing body is an empty form. */
export function formOf({ request: { body } }: Pick<Translation, 'request'>): FormFields {
  if (body instanceof FormFields) return body
  const isEmpty = body === undefined || body === null || Object.keys(body).length === 0
  if (isEmpty) return new FormFields()
  throw new Problem(
    'malformed_request',
    'Send a form, with the header Content-Type: multipart/form-data or application/x-www-form-urlencoded.',
  )
}

/** Returns the form, or the JSON object, of a request as an object; a repeated field is a list. */
export function objectOf({ request: { body } }: Pick<Translation, 'request'>): object {
  if (!(body instanceof FormFields)) return body ?? {}
  return Object.fromEntries(
    body.names.map((name) => {
      const texts = body.texts(name)
      return [name, texts.length === 1 ? texts[0] : texts]
    }),
  )
}

/** Returns the fields of a query; the last value of a repeated field counts, because clients repeat fields of a page. */
export function pageQuery({ request, reading }: Translation, names: FieldNames): Fields {
  const entries = Object.entries(request.query as Readonly<Record<string, unknown>>)
  const last = entries.map(([name, value]) => [name, Array.isArray(value) ? value.at(-1) : value])
  return reading.fields(Object.fromEntries(last), names)
}

/** Returns the address below which the request was made: the part of its URL before the version, without a slash. */
export function baseUrlOf({ protocol, host, originalUrl }: FastifyRequest): string {
  const prefix = /^(.*?)\/v\d\//.exec(originalUrl)?.[1] ?? ''
  return `${protocol}://${host}${prefix}`
}
