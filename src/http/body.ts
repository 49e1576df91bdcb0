// Takes the body of a request: who may send one, how large, on whose account, and what it says.

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
import { type JsonBody, readJsonBody, readText, type TextFields } from './json-body.ts'
import type { WorkbookJobs } from './workbook-thread.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The JSON body as it came, in UTF-8 without a byte order mark. */
    rawBody: Buffer | null
    /** Its share of the memory for bodies; null when it came without a body. */
    bodyMemory: BodyMemory | null
    /**
     * Charges the bytes that an answer takes to the same memory, until the client has it or is gone. Throws
     * `unavailable` when there are none within five seconds.
     */
    holdAnswer(reply: FastifyReply, octets: number): Promise<void>
  }
}

type Done = (error: Error | null, body?: unknown) => void

/** Reads what has arrived; undefined for an empty body. */
type Read = (request: FastifyRequest, body: Buffer, held: BodyMemory) => unknown

/** Tells the server whose requests it reads; the rooms above know callers and their rights. */
export interface Callers {
  /** Returns the account that a request belongs to; undefined for a client that is not known. */
  accountOf(request: FastifyRequest): string | undefined
  /** Returns the refusal of a caller who may not use the route; undefined for one who may. */
  notPermitted(request: FastifyRequest): Problem | undefined
}

interface BodyOptions {
  readonly callers: Callers
  /** For all bodies under way together. */
  readonly memoryBytes: number
  /** The largest body that is content of a mail. */
  readonly contentBytes: number
  readonly turns: FairScheduler
}

/** Adds the parsers of every media type that is taken. */
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
  server.decorateRequest('holdAnswer', async function holdAnswer(this: FastifyRequest, reply, octets) {
    const held = new HeldMemory(memory, ownerOf(this))
    reply.raw.once('close', () => held.release())
    if (reply.raw.destroyed || !(await held.holdLater(Math.min(octets, memoryBytes)))) throw noMemory()
  })
  server.addHook('onClose', async () => {
    uploads.stop()
    await Promise.all([reader.stop(), workbooks.stop()])
  })
  const add = (type: string, read: Read): void => {
    server.removeContentTypeParser(type)
    server.addContentTypeParser(type, (request: FastifyRequest, payload: IncomingMessage, done: Done) => {
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
  // Nearly no endpoint takes a form: forms are what other sites can send.
  add('application/x-www-form-urlencoded', (request, body) => {
    if (takesKind(request, 'form')) {
      return Object.fromEntries(new URLSearchParams(textOf(request, body)))
    }
    throw otherBodyWanted(request)
  })
}

/** Limit of a body. A request without the rights gets a small one, so that it learns of that first (contract §1). */
function sizeFor(request: FastifyRequest, callers: Callers, contentBytes: number) {
  const { maxBytes: wanted } = request.routeOptions.config.body ?? { maxBytes: MAX_STRANGERS_BODY }
  const maxBytes = wanted === 'content' ? contentBytes : wanted
  const refusal = callers.notPermitted(request)
  const limit = refusal === undefined ? maxBytes : Math.min(maxBytes, MAX_STRANGERS_BODY)
  const tooLarge = (): Problem =>
    refusal ?? new Problem('body_too_large', `A request body has at most ${limit} bytes; send less at once.`)
  return { limit, tooLarge }
}

/** Hands on what `read` makes of a body. */
function finish(read: () => unknown, done: Done): void {
  try {
    const value = read()
    if (value instanceof Promise) value.then((one) => done(null, one), done)
    else done(null, value)
  } catch (error) {
    done(error as Error)
  }
}

/** Short bodies at once; long ones in a thread. */
function readJson(request: FastifyRequest, body: Buffer, held: BodyMemory, reader: BodyReader): unknown {
  const { takesArray = false } = request.routeOptions.config
  const expected = { takesArray, ...textFieldsOf(request) }
  const take = ({ value, fieldNameProblems, utf8 }: JsonBody, octets: Buffer): object => {
    request.rawBody = utf8 ?? octets
    request.fieldNameProblems = fieldNameProblems
    return value
  }
  if (body.length <= LARGE_BODY) return take(readJsonBody(body, expected), body)
  return reader.read(body, expected, held).then((read) => take(read, read.octets))
}

const textOf = (request: FastifyRequest, body: Buffer): string => readText(body, textFieldsOf(request)).text

const textFieldsOf = ({ headers }: FastifyRequest): TextFields => ({
  contentType: headers['content-type'],
  contentEncoding: headers['content-encoding'],
})

/** One JSON document in each line. */
const LINES_TYPES = ['application/x-ndjson', 'application/jsonl'] as const

/** Frees the memory of a body whose connection has closed, unless the endpoint still works on it. */
export function freeBodyWhenClosed(request: FastifyRequest, reply: FastifyReply): void {
  reply.raw.once('close', () => {
    if (request.bodyMemory?.busy !== true) request.bodyMemory?.release()
  })
}

/** A list of 100,000 rows takes one to two seconds; what takes much longer was made to be slow. */
const TIMES = { firstSlice: 2_000, long: 30_000 }
/** For 64 MiB of texts, and a sheet as CSV. */
const HEAP_MB = 384
/** What waits is within the memory of all bodies. */
const MAX_WAITING = Number.MAX_SAFE_INTEGER

/** The threads start with the first workbook. */
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
      stopped: () => new Problem('unavailable', 'This node stops; please try again.', { retryAfter: 1 }),
    })
  }

  /**
   * The first sheet as CSV, for which memory is held together with the workbook's.
   *
   * @param maxBytes of the CSV
   * @throws Problem for what is no workbook, or a larger one
   */
  async asCsv(octets: Buffer, maxBytes: number, held: BodyMemory): Promise<string> {
    if (!(await held.holdLater(octets.length + maxBytes))) throw noMemory()
    const workFor = { accountId: held.owner, isGone: () => held.released }
    const read = await this.run(workFor, 'read', { octets: new Uint8Array(octets), maxBytes }, 0)
    if ('csv' in read) return read.csv
    throw new Problem('malformed_request', read.problem)
  }
}
