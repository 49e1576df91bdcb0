// Rule for the body of a route, with its maximum size and media types, and the refusals of a body that breaks the rule.

import type { FastifyRequest } from 'fastify'
import { type FieldProblem, Problem } from '../model/problem.ts'
import { ShapeError } from './shape.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Problems in the text of a JSON body, such as invalid field names and NUL characters; null if there are none. */
    fieldNameProblems: readonly FieldProblem[] | null
  }
  interface FastifyContextConfig {
    /** Rule for the request body; a small JSON body by default. */
    body?: BodyRule | undefined
    /** True if the body is an array instead of an object. */
    takesArray?: boolean
    /** True to read the JSON body `null` as an object without fields. */
    takesNull?: boolean
  }
}

/**
 * Body that is passed on as bytes. The class hides the bytes from schema validation, which would report each byte of a
 * buffer as a field.
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

type BodyKind = 'csv' | 'lines' | 'form' | 'fields' | 'mail' | 'file'

/** Rule for the request body of a route. */
export interface BodyRule {
  /**
   * Media types that the route accepts in addition to JSON. `csv` bodies are passed on as text, and may be the first
   * sheet of an XLSX workbook. `lines` bodies are JSON lines, and are passed on as bytes. `form` bodies are sent by the
   * service's own pages. `fields` bodies are forms of programs, possibly with files and repeated fields, and are passed
   * on as `FormFields`. `mail` bodies are complete messages (message/rfc822), which are accepted instead of JSON and
   * passed on as bytes. `file` bodies are files of any media type, which are accepted instead of JSON and passed on as
   * bytes.
   */
  readonly kinds?: readonly BodyKind[]
  /** Maximum size of the body in bytes; `content` means the installation's limit for sending a single message. */
  readonly maxBytes: number | 'content'
  /**
   * Place at which a body of the wrong shape is refused. `server` means that the server refuses the body, and includes
   * the problems found by the route's `check`. `handler` means that the handler reports `bodyProblems` together with
   * its own problems; such a handler receives bodies of any type, despite the declared type.
   */
  readonly problems?: 'server' | 'handler'
}

/** Maximum body size in bytes for an unknown client, or for a client that lacks the right to make the request. */
export const MAX_STRANGERS_BODY = 16 * 1024
/** Maximum body size in bytes of a request that contains neither mail contents nor lists. */
export const MAX_SMALL_BODY = 64 * 1024

/** True if the route of a request accepts bodies of this kind. */
export const takesKind = ({ routeOptions }: FastifyRequest, kind: BodyKind): boolean =>
  routeOptions.config.body?.kinds?.includes(kind) === true

/** Returns the problem for a body of the wrong media type, with the media types that the route accepts. */
export const otherBodyWanted = (request: FastifyRequest): Problem =>
  new Problem('malformed_request', wantedBody(request))

/** Returns the problem for a request without a body, with the media types that the route accepts. */
export const bodyMissing = (request: FastifyRequest): Problem =>
  new Problem('malformed_request', `The request has no body. ${wantedBody(request)}`)

const wantedBody = (request: FastifyRequest): string =>
  takesKind(request, 'file')
    ? 'Send the file itself as the body, with any Content-Type.'
    : takesKind(request, 'mail')
      ? 'Send a complete message, with the header Content-Type: message/rfc822.'
      : takesKind(request, 'lines')
        ? 'Send JSON lines, CSV or XLSX, with the header Content-Type: application/x-ndjson, text/csv or that of an XLSX workbook.'
        : takesKind(request, 'csv')
          ? 'Send JSON, CSV or XLSX, with the header Content-Type: application/json, text/csv or that of an XLSX workbook.'
          : 'Send JSON, with the header Content-Type: application/json.'

/** Returns the problems of a body as a whole: its field names, and its shape if the handler checks the shape. */
export function bodyProblems(request: FastifyRequest): readonly FieldProblem[] {
  const error: unknown = request.validationError
  const shape = error instanceof ShapeError ? error.problems : []
  return request.fieldNameProblems === null ? shape : [...request.fieldNameProblems, ...shape]
}
