// Takes the body of a request: who may send one, how large, on whose account, and what it says.

import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { clientNetwork } from '../lib/client-network.ts'
import { ContentMemory, HeldMemory } from '../lib/content-memory.ts'
import { type FieldProblem, Problem } from '../model/problem.ts'
import { WORKBOOK_TYPE } from '../tables/workbook-writer.ts'
import type { FairScheduler } from '../threads/fair-scheduler.ts'
import { notPermitted } from './authenticate.ts'
import { BodyMemory } from './body-memory.ts'
import { BodyReader } from './body-reader.ts'
import { LARGE_BODY, noMemory, Uploads } from './body-upload.ts'
import { type JsonBody, readJsonBody, readText } from './json-body.ts'
import { BodyOctets, type BodyRule } from './route.ts'
import { ShapeError } from './shape.ts'
import { WorkbookThreads } from './workbook-threads.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The JSON body as it came. */
    rawBody: Buffer | null
    /** Problems of its text: names of its fields, NULs in them; null without any. */
    fieldNameProblems: readonly FieldProblem[] | null
    /** Its share of the memory for bodies; null when it came without a body. */
    bodyMemory: BodyMemory | null
    /**
     * Charges the bytes that an answer takes to the same memory, until the client has it or is gone. Throws
     * `unavailable` when there are none within five seconds.
     */
    holdAnswer(reply: FastifyReply, octets: number): Promise<void>
  }
  interface FastifyContextConfig {
    /** Rule for the body; by default it is small, and JSON. */
    body?: BodyRule | undefined
    /** The body is an array; else it is an object. */
    takesArray?: boolean
  }
}

/** The largest body, in bytes, of a client that is not known, or may not do what is asked. */
export const MAX_STRANGERS_BODY = 16 * 1024
/** The largest body of a request that holds no content of mails and no lists. */
export const MAX_SMALL_BODY = 64 * 1024

type Done = (error: Error | null, body?: unknown) => void

/** Reads what has arrived; undefined for an empty body. */
type Read = (request: FastifyRequest, body: Buffer, held: BodyMemory) => unknown

interface BodyOptions {
  /** For all bodies under way together. */
  readonly memoryBytes: number
  /** The largest body that is content of a mail. */
  readonly contentBytes: number
  readonly turns: FairScheduler
}

/** Adds the parsers of every media type that is taken. */
export function addBodies(server: FastifyInstance, { memoryBytes, contentBytes, turns }: BodyOptions): void {
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
      uploads.collect(payload, held, sizeOf(request, contentBytes), (error, body) => {
        if (error !== null) return done(error)
        if (body === undefined || body.length === 0) return done(null, undefined)
        turns.run(held.owner, () => finish(() => read(request, body, held), done))
      })
    })
  }
  add('application/json', (request, body, held) => readJson(request, body, held, reader))
  add('text/csv', (request, body) => {
    if (takes(request, 'csv')) return textOf(request, body)
    throw otherBodyWanted(request)
  })
  add(WORKBOOK_TYPE, (request, body, held) => {
    if (!takes(request, 'csv')) throw otherBodyWanted(request)
    return workbooks.asCsv(body, sizeOf(request, contentBytes).limit, held)
  })
  for (const type of LINES_TYPES) {
    add(type, (request, body) => {
      if (!takes(request, 'lines')) throw otherBodyWanted(request)
      if (isUtf8(body)) return new BodyOctets(body)
      throw new Problem('malformed_request', 'The body is not UTF-8; save or encode it as UTF-8.')
    })
  }
  // Nearly no endpoint takes a form: forms are what other sites can send.
  add('application/x-www-form-urlencoded', (request, body) => {
    if (takes(request, 'form')) {
      return Object.fromEntries(new URLSearchParams(textOf(request, body)))
    }
    throw otherBodyWanted(request)
  })
}

/** The owner of the memory: the account, or the network of a client that is not known. */
const ownerOf = ({ caller, ip }: FastifyRequest): string => caller?.accountId ?? clientNetwork(ip)

/** Limit of a body. A request without the rights gets a small one, so that it learns of that first (contract §1). */
function sizeOf(request: FastifyRequest, contentBytes: number) {
  const { maxBytes: wanted } = request.routeOptions.config.body ?? { maxBytes: MAX_STRANGERS_BODY }
  const maxBytes = wanted === 'content' ? contentBytes : wanted
  const refusal = notPermitted(request)
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
  const expected = { takesArray, contentEncoding: request.headers['content-encoding'] }
  const take = ({ value, fieldNameProblems }: JsonBody, octets: Buffer): object => {
    request.rawBody = octets
    request.fieldNameProblems = fieldNameProblems
    return value
  }
  if (body.length <= LARGE_BODY) return take(readJsonBody(body, expected), body)
  return reader.read(body, expected, held).then((read) => take(read, read.octets))
}

const textOf = ({ headers }: FastifyRequest, body: Buffer): string =>
  readText(body, headers['content-encoding'])

/** One JSON document in each line. */
const LINES_TYPES = ['application/x-ndjson', 'application/jsonl'] as const

const takes = ({ routeOptions }: FastifyRequest, kind: 'csv' | 'lines' | 'form'): boolean =>
  routeOptions.config.body?.kinds?.includes(kind) === true

/** Tells what an endpoint takes, when it got a body of another media type. */
export const otherBodyWanted = (request: FastifyRequest): Problem =>
  new Problem('malformed_request', wantedBody(request))

/** Tells what an endpoint takes, when it got no body. */
export const bodyMissing = (request: FastifyRequest): Problem =>
  new Problem('malformed_request', `The request has no body. ${wantedBody(request)}`)

const wantedBody = (request: FastifyRequest): string =>
  takes(request, 'lines')
    ? 'Send JSON lines, CSV or XLSX, with the header Content-Type: application/x-ndjson, text/csv or that of an XLSX workbook.'
    : takes(request, 'csv')
      ? 'Send JSON, CSV or XLSX, with the header Content-Type: application/json, text/csv or that of an XLSX workbook.'
      : 'Send JSON, with the header Content-Type: application/json.'

/** Frees the memory of a body whose connection has closed, unless the endpoint still works on it. */
export function freeBodyWhenClosed(request: FastifyRequest, reply: FastifyReply): void {
  reply.raw.once('close', () => {
    if (request.bodyMemory?.busy !== true) request.bodyMemory?.release()
  })
}

/** Problems of a body as such: the names of its fields, and its shape, where the endpoint checks it itself. */
export function bodyProblems(request: FastifyRequest): readonly FieldProblem[] {
  const error: unknown = request.validationError
  const shape = error instanceof ShapeError ? error.problems : []
  return request.fieldNameProblems === null ? shape : [...request.fieldNameProblems, ...shape]
}
