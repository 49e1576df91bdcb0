// Receives and parses request bodies, and enforces limits of size, memory and media type.

import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { clientNetwork } from '../lib/client-network.ts'
import { ContentMemory, HeldMemory } from '../lib/content-memory.ts'
import { Problem } from '../model/problem.ts'
import { WORKBOOK_TYPE } from '../tables/workbook-writer.ts'
import type { FairScheduler } from '../threads/fair-scheduler.ts'
import { FairThreads } from '../threads/worker-pool.ts'
import { BodyReader } from './body-reader.ts'
import { BodyBytes, MAX_STRANGERS_BODY, otherBodyWanted, takesKind } from './body-rule.ts'
import { BodyMemory, LARGE_BODY, noMemory, Uploads } from './body-upload.ts'
import { type FormFields, readForm, unpackForm } from './form-fields.ts'
import { type JsonBody, readJsonBody, readText, type TextFields } from './json-body.ts'
import type { WorkbookJobs } from './workbook-thread.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** JSON body as received, in UTF-8 without a byte order mark. */
    rawBody: Buffer | null
    /** Memory that the request body holds; null for a request without a body. */
    bodyMemory: BodyMemory | null
    /**
     * Holds memory for the bytes of a response until the client has received the response or disconnected. Throws
     * `unavailable` if no memory becomes free within five seconds.
     */
    holdAnswer(reply: FastifyReply, bytes: number): Promise<void>
  }
}

type Done = (error: Error | null, body?: unknown) => void

/** Parses a request body; not called for an empty body. */
type Read = (request: FastifyRequest, body: Buffer, held: BodyMemory) => unknown

/** Functions that return the account and the rights of a caller, which other modules define. */
export interface Callers {
  /** Returns the account ID of a request; undefined for an unknown client. */
  accountOf(request: FastifyRequest): string | undefined
  /** Returns the problem for a caller without the right to use the route; undefined for any other caller. */
  notPermitted(request: FastifyRequest): Problem | undefined
}

interface BodyOptions {
  readonly callers: Callers
  /** Memory for the bodies of all running requests, in bytes. */
  readonly memoryBytes: number
  /** Maximum size in bytes of a body that contains the content of a message. */
  readonly contentBytes: number
  readonly turns: FairScheduler
}

/** Adds the parsers for all accepted media types. */
export function addBodies(
  server: FastifyInstance,
  { callers, memoryBytes, contentBytes, turns }: BodyOptions,
): void {
  const ownerOf = (request: FastifyRequest): string => callers.accountOf(request) ?? clientNetwork(request.ip)
  const sizeOf = (request: FastifyRequest) => sizeFor(request, callers, contentBytes)
  const memory = new ContentMemory(memoryBytes)
  const uploads = new Uploads()
  const reader = new BodyReader()
  const workbooks = new WorkbookThreads()
  server.decorateRequest('holdAnswer', async function holdAnswer(this: FastifyRequest, reply, bytes) {
    const held = new HeldMemory(memory, ownerOf(this))
    reply.raw.once('close', () => held.release())
    if (reply.raw.destroyed || !(await held.holdLater(Math.min(bytes, memoryBytes)))) throw noMemory()
  })
  server.addHook('onClose', async () => {
    uploads.stop()
    await Promise.all([reader.stop(), workbooks.stop()])
  })
  const add = (type: string, readType: Read): void => {
    const read: Read = (request, body, held) =>
      takesKind(request, 'file') ? new BodyBytes(body) : readType(request, body, held)
    if (type !== ANY_TYPE) server.removeContentTypeParser(type)
    server.addContentTypeParser(type, (request: FastifyRequest, payload: IncomingMessage, done: Done) => {
      if (type === ANY_TYPE && !takesKind(request, 'file')) return done(otherBodyWanted(request))
      const held = new BodyMemory(memory, ownerOf(request))
      request.bodyMemory = held
      uploads.collect(payload, held, sizeOf(request), (error, body) => {
        if (error !== null) return done(error)
        if (body === undefined || body.length === 0) return done(null, undefined)
        turns.run(held.owner, () => finish(() => read(request, body, held), done))
      })
    })
  }
  add('application/json', (request, body, held) => readJson(request, body, held, reader))
  add('text/csv', (request, body) => {
    if (takesKind(request, 'csv')) return textOf(request, body)
    throw otherBodyWanted(request)
  })
  add(WORKBOOK_TYPE, (request, body, held) => {
    if (!takesKind(request, 'csv')) throw otherBodyWanted(request)
    return workbooks.asCsv(body, sizeOf(request).limit, held)
  })
  for (const type of LINES_TYPES) {
    add(type, (request, body) => {
      if (!takesKind(request, 'lines')) throw otherBodyWanted(request)
      if (isUtf8(body)) return new BodyBytes(body)
      throw new Problem('malformed_request', 'The body is not UTF-8; save or encode it as UTF-8.')
    })
  }
  add('message/rfc822', (request, body) => {
    if (takesKind(request, 'mail')) return new BodyBytes(body)
    throw otherBodyWanted(request)
  })
  add(ANY_TYPE, (request) => {
    throw otherBodyWanted(request)
  })
  add('multipart/form-data', (request, body, held) => {
    if (takesKind(request, 'fields')) return readFields(request, body, held, sizeOf(request).limit)
    throw otherBodyWanted(request)
  })
  // Forms are accepted by very few endpoints, because other sites can send forms.
  add('application/x-www-form-urlencoded', (request, body, held) => {
    if (takesKind(request, 'fields')) return readFields(request, body, held, sizeOf(request).limit)
    if (takesKind(request, 'form')) {
      return Object.fromEntries(new URLSearchParams(textOf(request, body)))
    }
    throw otherBodyWanted(request)
  })
}

/**
 * Returns the maximum size of a request body. A caller without the right to use the route gets a small maximum, and the
 * missing right is reported before the size.
 */
function sizeFor(request: FastifyRequest, callers: Callers, contentBytes: number) {
  const { maxBytes: wanted } = request.routeOptions.config.body ?? { maxBytes: MAX_STRANGERS_BODY }
  const maxBytes = wanted === 'content' ? contentBytes : wanted
  const refusal = callers.notPermitted(request)
  const limit = refusal === undefined ? maxBytes : Math.min(maxBytes, MAX_STRANGERS_BODY)
  const tooLarge = (): Problem =>
    refusal ?? new Problem('body_too_large', `A request body has at most ${limit} bytes; send less at once.`)
  return { limit, tooLarge }
}

/** Passes the result or the error of `read` to `done`. */
function finish(read: () => unknown, done: Done): void {
  try {
    const value = read()
    if (value instanceof Promise) value.then((one) => done(null, one), done)
    else done(null, value)
  } catch (error) {
    done(error as Error)
  }
}

/** Parses short bodies at once, and long bodies in a thread. */
function readJson(request: FastifyRequest, body: Buffer, held: BodyMemory, reader: BodyReader): unknown {
  const { takesArray = false, takesNull = false } = request.routeOptions.config
  const expected = { takesArray, takesNull, ...textFieldsOf(request) }
  const take = ({ value, fieldNameProblems, utf8 }: JsonBody, bytes: Buffer): object => {
    request.rawBody = utf8 ?? bytes
    request.fieldNameProblems = fieldNameProblems
    return value
  }
  if (body.length <= LARGE_BODY) return take(readJsonBody(body, expected), body)
  return reader.read(body, expected, held).then((read) => take(read, read.bytes))
}

/**
 * Parses a form. A compressed form needs memory for its unpacked bytes as well. The parser is no library: streaming
 * parsers take as much CPU time as all other work on a small message.
 *
 * @param limit maximum size of the unpacked form in bytes
 */
async function readFields(
  request: FastifyRequest,
  body: Buffer,
  held: BodyMemory,
  limit: number,
): Promise<FormFields> {
  const headers = textFieldsOf(request)
  const isPacked = headers.contentEncoding !== undefined
  if (isPacked && !(await held.holdLater(body.length + limit))) throw noMemory()
  return readForm(await unpackForm(body, headers, limit), headers)
}

const textOf = (request: FastifyRequest, body: Buffer): string => readText(body, textFieldsOf(request)).text

const textFieldsOf = ({ headers }: FastifyRequest): TextFields => ({
  contentType: headers['content-type'],
  contentEncoding: headers['content-encoding'],
})

/** Media types of JSON lines, with one JSON document in each line. */
/** Name of the parser for all media types without a parser of their own. */
const ANY_TYPE = '*'

const LINES_TYPES = ['application/x-ndjson', 'application/jsonl'] as const

/** Releases the memory of a request body when the connection closes, unless the endpoint still works on the body. */
export function freeBodyWhenClosed(request: FastifyRequest, reply: FastifyReply): void {
  reply.raw.once('close', () => {
    if (request.bodyMemory?.busy !== true) request.bodyMemory?.release()
  })
}

/**
 * Time limits in milliseconds for parsing a workbook. A list of 100,000 rows takes one to two seconds; only a hostile
 * workbook takes much longer.
 */
const TIMES = { firstSlice: 2_000, long: 30_000 }
/** Heap limit of a workbook thread in MiB, enough for 64 MiB of texts and a sheet as CSV. */
const HEAP_MB = 384
/** Number of waiting workbooks, which needs no limit because the memory for all bodies is limited. */
const MAX_WAITING = Number.MAX_SAFE_INTEGER

/** Threads that parse workbooks, started for the first workbook. */
class WorkbookThreads extends FairThreads<WorkbookJobs> {
  readonly name = 'workbook threads'

  constructor() {
    super({
      ...{ program: new URL('./workbook-thread.ts', import.meta.url), heapMb: HEAP_MB, maxQuick: 1 },
      ...{ times: TIMES, maxWaiting: MAX_WAITING, jobWeight: 1 },
      failed: (reason) => {
        const cause = new Error(reason)
        return new Problem('body_too_large', 'The workbook cannot be read here; send it as CSV.', { cause })
      },
      refused: { full: noMemory, gone: noMemory },
      stopped: () =>
        new Problem('unavailable', 'This node is shutting down; please try again.', { retryAfter: 1 }),
    })
  }

  /**
   * Returns the first sheet of a workbook as CSV, and holds memory for the CSV in addition to the workbook.
   *
   * @param maxBytes maximum size of the CSV in bytes
   * @throws Problem for a file that is not a workbook, or for a CSV that is too large
   */
  async asCsv(bytes: Buffer, maxBytes: number, held: BodyMemory): Promise<string> {
    if (!(await held.holdLater(bytes.length + maxBytes))) throw noMemory()
    const workFor = { accountId: held.owner, isGone: () => held.released }
    const read = await this.run(workFor, 'read', { bytes: new Uint8Array(bytes), maxBytes }, 0)
    if ('csv' in read) return read.csv
    throw new Problem('malformed_request', read.problem)
  }
}
