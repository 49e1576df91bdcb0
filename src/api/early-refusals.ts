// Refusals before there is a request: octets that are not HTTP, headers without end.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { newId } from '../lib/ids.ts'
import { Problem } from '../model/problem.ts'
import { helpLink, PROBLEM_JSON, problemDocument } from './problem-document.ts'

const DETAILS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The request line and the header have more than 16 KiB; send long values in the body.',
  HPE_INVALID_METHOD: 'This is not HTTP, or the method is not one.',
  HPE_INVALID_URL: 'The address of the request is not one.',
  HPE_INVALID_CONTENT_LENGTH: 'The Content-Length is not a number, or not the only one.',
  HPE_UNEXPECTED_CONTENT_LENGTH: 'Content-Length and Transfer-Encoding do not go together.',
  HPE_INVALID_TRANSFER_ENCODING: 'The Transfer-Encoding is not one, or does not go with the Content-Length.',
  HPE_INVALID_HEADER_TOKEN: 'A header field has a character that none may have.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
}

interface ConnectionError extends Error {
  readonly code?: string
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
    socket.end(pending?.headersSent ? '' : refusalOf(error.code, docsUrl()))
  }
}

/** Takes what Node would answer by itself, or not at all, so that every refusal looks alike. */
export function takeOddRequests(server: Server, docsUrl: () => string): void {
  // RFC 9110 §10.1.1: an expectation that is not known may be passed over.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('connect', (_request, socket) => socket.end(refusalOf('HPE_INVALID_METHOD', docsUrl())))
}

function refusalOf(code: string | undefined, docsUrl: string): string {
  const detail = DETAILS[code ?? ''] ?? 'This is not a valid HTTP/1.1 request.'
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
