// Refusals before there is a request: bytes that are not HTTP, headers without end.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { newId } from '../lib/ids.ts'
import { Problem } from '../model/problem.ts'
import { helpLink, PROBLEM_JSON, problemDocument } from './problem-document.ts'

const NOT_HTTP = 'This is not HTTP, or the method is not one.'

const DETAILS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The request line and the header have more than 16 KiB; send long values in the body.',
  HPE_INVALID_METHOD: NOT_HTTP,
  HPE_INVALID_URL: 'The address of the request is not one.',
  HPE_INVALID_CONTENT_LENGTH: 'The Content-Length is not a number.',
  HPE_UNEXPECTED_CONTENT_LENGTH: 'There are two fields Content-Length; send one.',
  HPE_INVALID_TRANSFER_ENCODING:
    'The Transfer-Encoding is not chunked, the only one that a request may have.',
  HPE_INVALID_HEADER_TOKEN: 'A header field has a character that none may have.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
}

/** Both lengths of a body at once (RFC 9112 §6.1); the parser has a code of its own for either order, and more cases of that. */
const TWO_LENGTHS = 'Content-Length and Transfer-Encoding do not go together.'

interface ConnectionError extends Error {
  readonly code?: string
  /** The parser's sentence. */
  readonly reason?: string
}

function detailOf({ code = '', reason = '' }: ConnectionError): string {
  if (/Content-Length.*Transfer-Encoding|Transfer-Encoding.*Content-Length/.test(reason)) return TWO_LENGTHS
  return DETAILS[code] ?? 'This is not a valid HTTP/1.1 request.'
}

/** The socket of a connection, with the response that is under way on it. */
type HttpSocket = Socket & { readonly _httpMessage?: ServerResponse<IncomingMessage> | null }

/** Makes the handler of errors of connections; `docsUrl` is where problems are described. */
export function connectionRefusal(docsUrl: () => string) {
  return (error: ConnectionError, socket: HttpSocket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    const pending = socket._httpMessage
    if (pending?.req.complete) {
      // The fault came behind a request that is still being answered: the refusal must not be taken for its answer.
      pending.once('close', () => socket.destroy())
      return
    }
    socket.end(pending?.headersSent ? '' : refusalOf(detailOf(error), docsUrl()))
  }
}

/** Takes what Node would answer by itself, or not at all, so that every refusal looks alike. */
export function takeMalformedRequests(server: Server, docsUrl: () => string): void {
  // RFC 9110 §10.1.1: an expectation that is not known may be passed over.
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
