// Refuses input that is not a valid request, such as bytes that are not HTTP, and endless headers.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { newId } from '../lib/ids.ts'
import { Problem } from '../model/problem.ts'
import { helpLink, PROBLEM_JSON, problemDocument } from './problem-document.ts'

const NOT_HTTP = 'The request is not HTTP, or its method is unknown.'

const DETAILS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The request line and the header exceed 16 KiB; send long values in the body.',
  HPE_INVALID_METHOD: NOT_HTTP,
  HPE_INVALID_URL: 'The address of the request is not valid.',
  HPE_INVALID_CONTENT_LENGTH: 'The Content-Length is not a number.',
  HPE_UNEXPECTED_CONTENT_LENGTH: 'There are two Content-Length fields; send one.',
  HPE_INVALID_TRANSFER_ENCODING: 'The Transfer-Encoding must be chunked; a request may have no other one.',
  HPE_INVALID_HEADER_TOKEN: 'A header field contains a character that is not allowed.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
}

/**
 * Message for a request with both Content-Length and Transfer-Encoding (RFC 9112 §6.1). The parser reports a different
 * error code for each order of the fields, and uses both codes in other cases as well.
 */
const TWO_LENGTHS = 'A request must not have both Content-Length and Transfer-Encoding.'

interface ConnectionError extends Error {
  readonly code?: string
  /** Error description by the parser. */
  readonly reason?: string
}

function detailOf({ code = '', reason = '' }: ConnectionError): string {
  if (/Content-Length.*Transfer-Encoding|Transfer-Encoding.*Content-Length/.test(reason)) return TWO_LENGTHS
  return DETAILS[code] ?? 'This is not a valid HTTP/1.1 request.'
}

/** Socket of a connection, with the current response. */
type HttpSocket = Socket & { readonly _httpMessage?: ServerResponse<IncomingMessage> | null }

/** Returns the handler for connection errors; `docsUrl` returns the page that describes problems. */
export function connectionRefusal(docsUrl: () => string) {
  return (error: ConnectionError, socket: HttpSocket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    const pending = socket._httpMessage
    if (pending?.req.complete) {
      // The malformed bytes follow a request that is still being answered. A refusal now could be mistaken for the
      // response to this request.
      pending.once('close', () => socket.destroy())
      return
    }
    socket.end(pending?.headersSent ? '' : refusalOf(detailOf(error), docsUrl()))
  }
}

/** Handles requests that Node would answer itself or leave unanswered, so that all refusals are problem documents. */
export function takeMalformedRequests(server: Server, docsUrl: () => string): void {
  // An unknown expectation may be ignored (RFC 9110 §10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('connect', (_request, socket) => socket.end(refusalOf(NOT_HTTP, docsUrl())))
}

function refusalOf(detail: string, docsUrl: string): string {
  const id = newId('req')
  const body = JSON.stringify(problemDocument(new Problem('malformed_request', detail), id))
  const head = [
    'HTTP/1.1 400 Bad Request',
    `Content-Type: ${PROBLEM_JSON}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${id}`,
    `Link: ${helpLink(docsUrl, 'malformed_request')}`,
    'Connection: close',
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}
