// One request in the form of another service, with all that its handler needs.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint } from '../api/endpoint.ts'
import { paramsOf } from '../api/route.ts'
import type { CompatibleOptions } from '../api/server.ts'
import { type FieldProblem, invalidFields } from '../model/problem.ts'
import { type Answer, callEndpoint, type Given } from './call.ts'
import { type FieldNames, type Fields, Reading } from './reading.ts'

/** Header field with the names of the ignored fields. */
const IGNORED = 'x-postrider-ignored'

/** A request that is being translated. */
export class Translation {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly services: CompatibleOptions
  readonly reading: Reading
  /** Recipients of the mail that the request would send, for the log of refused requests. */
  recipients: readonly string[] = []
  /** ID of the message that the request created. */
  messageId: string | undefined

  constructor(request: FastifyRequest, reply: FastifyReply, services: CompatibleOptions, isLenient: boolean) {
    this.request = request
    this.reply = reply
    this.services = services
    this.reading = new Reading(isLenient)
  }

  /** Returns a parameter of the path, decoded. */
  param(name: string): string {
    return paramsOf(this.request)[name] ?? ''
  }

  /** Returns the fields of the body; a missing body has no fields. */
  body(names: FieldNames): Fields {
    return this.reading.fields(this.request.body ?? {}, names)
  }

  /** Returns the fields of the query. */
  query(names: FieldNames): Fields {
    return this.reading.fields(this.request.query, names)
  }

  /**
   * Throws `validation_failed` if fields of the request have problems; called before anything is changed.
   *
   * @param more problems that the handler has found itself
   */
  check(more: readonly FieldProblem[] = []): void {
    const problems = [...this.reading.problems, ...more]
    if (problems.length > 0) throw invalidFields(problems)
  }

  /**
   * Calls an endpoint under `/v1` for the caller of this request, after `check`. The endpoint checks scope, domain and
   * shape, and writes the audit log.
   *
   * @param operation operation ID of the endpoint, as in docs/openapi.json
   */
  async v1<Body>(operation: string, given: Given = {}): Promise<Answer<Body>> {
    this.check()
    return callEndpoint<Body>(this.#endpoint(operation), this.request, this.reply, given)
  }

  #endpoint(operation: string): Endpoint {
    const endpoint = this.services.endpoints.get(operation)
    if (endpoint === undefined) throw new Error(`there is no operation ${operation}`)
    return endpoint
  }

  /** Tells the client and the request log which fields were ignored, and the log which message was created. */
  end(): void {
    const { ignored } = this.reading
    if (ignored.length > 0) this.reply.header(IGNORED, ignored.map(headerSafe).join(', '))
    const { recipients, messageId } = this
    if (ignored.length + recipients.length > 0 || messageId !== undefined) {
      this.request.translated = { ignored, recipients, messageId }
    }
  }
}

/** Returns a path without characters that a header field cannot contain or that separate paths. */
const headerSafe = (path: string): string => path.replace(/[^\x21-\x2b\x2d-\x7e]/g, '?')
