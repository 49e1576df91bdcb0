// Reads bodies, each within the size that its endpoint takes and all within the memory that they share.

import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { MemoryBudget } from '../lib/memory-budget.ts'
import { type FieldProblem, Problem } from '../model/problem.ts'
import { wrongFieldNames } from './field-names.ts'
import { ShapeError } from './shape.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The JSON body as it came. */
    rawBody: string
    /** What is wrong with the names of its fields; null when nothing is. */
    fieldNameProblems: readonly FieldProblem[] | null
    /** What it holds of the memory for bodies; null when it came without one. */
    bodyMemory: BodyMemory | null
  }
  interface FastifyContextConfig {
    /** The largest body; without it, that of the installation. */
    maxBodyBytes?: number | undefined
    /** Whether the body is an array; else it is an object. */
    takesArray?: boolean
    /** Whether a body of `text/csv` is taken as well. */
    takesCsv?: boolean | undefined
    /** Whether a body of a form is taken as well. */
    takesForm?: boolean | undefined
  }
}

/** Who sends too much is read on to so many times the limit: whoever is cut off while sending never sees the 413. */
const PATIENCE = 4
/** What a body of unknown length takes at a time. */
const STEP = 64 * 1024

/** What one request holds of the shared memory. */
export class BodyMemory {
  readonly #budget: MemoryBudget
  #held = 0
  /** Whether the endpoint works on the body: then only its end frees it, also when the client has gone. */
  busy = false
  /** Whether what still comes of the body is not read any more, so that the connection has to end. */
  givenUp = false

  constructor(budget: MemoryBudget) {
    this.#budget = budget
  }

  /** Makes sure that it holds at least so much. Throws `unavailable` when that is not to be had. */
  hold(octets: number): void {
    if (octets <= this.#held) return
    const more = octets - this.#held
    if (!this.#budget.take(more)) {
      throw new Problem('unavailable', 'Too many large requests are under way; please try again.', {
        retryAfter: 1,
      })
    }
    this.#held = octets
  }

  release(): void {
    this.#budget.giveBack(this.#held)
    this.#held = 0
  }
}

type Done = (error: Error | null, body?: unknown) => void

type Parser = (request: FastifyRequest, payload: IncomingMessage, done: Done) => void

/** The parser of `application/json`, with the body's size limit unless the endpoint has its own. */
export const jsonBodies = (budget: MemoryBudget, usualLimit: number): Parser =>
  parser(budget, usualLimit, readValue)

/** Tells what an endpoint takes, when it got no body or one of another media type. */
export const otherBodyWanted = ({ routeOptions }: FastifyRequest): Problem =>
  new Problem(
    'malformed_request',
    routeOptions.config.takesCsv
      ? 'Send JSON or CSV, with the header Content-Type: application/json or text/csv.'
      : 'Send JSON, with the header Content-Type: application/json.',
  )

/** The parser of `text/csv`, which some endpoints take beside JSON, as its text. */
export const csvBodies = (budget: MemoryBudget, usualLimit: number): Parser =>
  parser(budget, usualLimit, (request, text) => {
    if (request.routeOptions.config.takesCsv) return text
    throw otherBodyWanted(request)
  })

/** The parser of what a form posts, which nearly no endpoint takes: forms are what other sites can send. */
export const formBodies = (budget: MemoryBudget, usualLimit: number): Parser =>
  parser(budget, usualLimit, (request, text) => {
    if (request.routeOptions.config.takesForm) return Object.fromEntries(new URLSearchParams(text))
    throw otherBodyWanted(request)
  })

function parser(
  budget: MemoryBudget,
  usualLimit: number,
  read: (request: FastifyRequest, text: string) => unknown,
): Parser {
  return (request, payload, done) => {
    const { maxBodyBytes = usualLimit } = request.routeOptions.config
    const memory = new BodyMemory(budget)
    request.bodyMemory = memory
    collect(payload, maxBodyBytes, memory, (error, body) => {
      if (error !== null) return done(error)
      // Bodies come in bunches, and work on them takes its time: what others have answered is heard first.
      setImmediate(() => {
        try {
          // An empty body is none: what needs one says so.
          done(null, body?.length === 0 ? undefined : read(request, readText(request, body as Buffer)))
        } catch (problem) {
          done(problem as Error)
        }
      })
    })
  }
}

function readText({ headers }: FastifyRequest, body: Buffer): string {
  if (isUtf8(body)) return body.toString('utf8')
  const encoding = headers['content-encoding']?.slice(0, 50)
  const remedy = encoding === undefined ? '' : `; send it as it is, without Content-Encoding: ${encoding}`
  throw new Problem('malformed_request', `The body is not UTF-8${remedy}.`)
}

function readValue(request: FastifyRequest, text: string): object {
  const { takesArray = false } = request.routeOptions.config
  const value = readJson(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== takesArray) {
    throw new Problem('malformed_request', `The body must be a JSON ${takesArray ? 'array' : 'object'}.`)
  }
  request.rawBody = text
  request.fieldNameProblems = wrongFieldNames(text, value)
  return value
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Problem('malformed_request', `The body is not JSON: ${(error as Error).message.slice(0, 200)}`)
  }
}

/** Collects the body; memory is taken for all of it before it is read, or as it comes when its length is not told. */
function collect(
  payload: IncomingMessage,
  limit: number,
  memory: BodyMemory,
  done: (error: Error | null, body?: Buffer) => void,
): void {
  let chunks: Buffer[] = []
  let received = 0
  const finish = (error: Error | null, body?: Buffer): void => {
    payload.off('data', onData).off('end', onEnd).off('error', finish)
    chunks = []
    if (error !== null) {
      memory.release()
      // What still comes is read and dropped, so that the client gets to see the answer.
      payload.on('error', () => {}).resume()
    }
    done(error, body)
  }
  const tooLarge = (): Problem =>
    new Problem('body_too_large', `A request body has at most ${limit} bytes; send less at once.`)
  const giveUp = (): void => {
    memory.givenUp = true
    finish(tooLarge())
  }
  const onData = (chunk: Buffer): void => {
    received += chunk.length
    if (received > limit) {
      chunks = []
      memory.release()
      if (received > limit * PATIENCE) giveUp()
      return
    }
    try {
      if (declared === undefined) memory.hold(Math.ceil(received / STEP) * STEP)
      chunks.push(chunk)
    } catch (error) {
      finish(error as Error)
    }
  }
  const onEnd = (): void => {
    if (received > limit) finish(tooLarge())
    else finish(null, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, received))
  }
  const length = payload.headers['content-length']
  const declared = length === undefined ? undefined : Number(length)
  payload.on('data', onData).on('end', onEnd).on('error', finish)
  if (declared === undefined) return
  try {
    if (declared > limit * PATIENCE) giveUp()
    else if (declared <= limit) memory.hold(declared)
  } catch (error) {
    finish(error as Error)
  }
}

/** Frees the memory of a body whose connection has closed, unless the endpoint still works on it. */
export function freeBodyWhenClosed(request: FastifyRequest, reply: FastifyReply): void {
  reply.raw.once('close', () => {
    if (request.bodyMemory?.busy !== true) request.bodyMemory?.release()
  })
}

/** What is wrong with a body as such: the names of its fields, and its shape, where the endpoint looks itself. */
export function bodyProblems(request: FastifyRequest): readonly FieldProblem[] {
  const error: unknown = request.validationError
  const shape = error instanceof ShapeError ? error.problems : []
  return request.fieldNameProblems === null ? shape : [...request.fieldNameProblems, ...shape]
}
