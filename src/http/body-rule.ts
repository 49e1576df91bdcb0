// The rule for the body of a route: its size, its media types, and the refusals of a body that breaks the rule.

import type { FastifyRequest } from 'fastify'
import { type FieldProblem, Problem } from '../model/problem.ts'
import { ShapeError } from './shape.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Problems of the text of a JSON body: names of its fields, NULs in them; null without any. */
    fieldNameProblems: readonly FieldProblem[] | null
  }
  interface FastifyContextConfig {
    /** Rule for the body; by default it is small, and JSON. */
    body?: BodyRule | undefined
    /** The body is an array; else it is an object. */
    takesArray?: boolean
  }
}

/**
 * A body that is handed on as its bytes. The class hides them from the check of the schema, which would report each byte
 * of a buffer as a field.
 */
export class BodyBytes {
  readonly #bytes: Buffer

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get bytes(): Buffer {
    return this.#bytes
  }
}

type BodyKind = 'csv' | 'lines' | 'form'

/** Rule for the body of a route. */
export interface BodyRule {
  /**
   * Media types in addition to JSON. `csv`: handed on as text, also for an XLSX workbook, of which the first sheet counts.
   * `lines`: JSON lines, handed on as bytes. `form`: posted by the service's own pages.
   */
  readonly kinds?: readonly BodyKind[]
  /** The largest, in bytes; `content` is the installation's limit for a single send. */
  readonly maxBytes: number | 'content'
  /**
   * Place where a body of another shape is refused: the server, together with the findings of the route's `check`, or the
   * `handler`, which reports `bodyProblems` together with its own. Such a handler gets bodies of any type, despite the
   * declared one.
   */
  readonly problems?: 'server' | 'handler'
}

/** The largest body, in bytes, of a client that is not known, or may not do what the request asks. */
export const MAX_STRANGERS_BODY = 16 * 1024
/** The largest body of a request that holds no content of mails and no lists. */
export const MAX_SMALL_BODY = 64 * 1024

/** Returns whether the route of a request takes bodies of this kind. */
export const takesKind = ({ routeOptions }: FastifyRequest, kind: BodyKind): boolean =>
  routeOptions.config.body?.kinds?.includes(kind) === true

/** Returns the refusal of a body of another media type, which names those that the route takes. */
export const otherBodyWanted = (request: FastifyRequest): Problem =>
  new Problem('malformed_request', wantedBody(request))

/** Returns the refusal of a request without a body, which names the media types that the route takes. */
export const bodyMissing = (request: FastifyRequest): Problem =>
  new Problem('malformed_request', `The request has no body. ${wantedBody(request)}`)

const wantedBody = (request: FastifyRequest): string =>
  takesKind(request, 'lines')
    ? 'Send JSON lines, CSV or XLSX, with the header Content-Type: application/x-ndjson, text/csv or that of an XLSX workbook.'
    : takesKind(request, 'csv')
      ? 'Send JSON, CSV or XLSX, with the header Content-Type: application/json, text/csv or that of an XLSX workbook.'
      : 'Send JSON, with the header Content-Type: application/json.'

/** Returns the problems of a body as such: the names of its fields, and its shape where the handler checks the shape. */
export function bodyProblems(request: FastifyRequest): readonly FieldProblem[] {
  const error: unknown = request.validationError
  const shape = error instanceof ShapeError ? error.problems : []
  return request.fieldNameProblems === null ? shape : [...request.fieldNameProblems, ...shape]
}
