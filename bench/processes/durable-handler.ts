// The durable reference for the measurement of acceptance: the bare handler, which also stores the body of each request
// durably before the response. Requests that arrive during a commit share the next commit.

import type { AddressInfo } from 'node:net'
import { Worker } from 'node:worker_threads'
import Fastify from 'fastify'
import pg from 'pg'
import { IdempotencyHeaders } from '../../src/api/contract/common.ts'
import { SendAnswer } from '../../src/api/contract/message.ts'
import { SendBody } from '../../src/api/contract/message-requests.ts'
import { shapeCompiler } from '../../src/http/shape.ts'
import { newId } from '../../src/lib/ids.ts'
import { answerParent } from '../harness/child.ts'
import { measuredCalls } from '../harness/process-figures.ts'

/** A row of the table `bodies`: ID and body. */
export type BodyRow = readonly [id: string, body: Buffer]

/** Writes all rows in one durable transaction. */
type Commit = (rows: readonly BodyRow[]) => Promise<void>

interface Waiting {
  readonly row: BodyRow
  resolve(): void
  reject(error: Error): void
}

/** Connections to PostgreSQL; a second one gains, as two commits share a flush. */
const CONNECTIONS = 2
/** Rows of the largest transaction. */
const MAX_ROWS = 64

/** Gathers the rows that arrive while all commits are in progress. */
class GroupCommit {
  readonly #commits: Commit[]
  readonly #sizeOf: (waiting: number) => number
  #waiting: Waiting[] = []

  /** @param sizeOf number of rows of the next commit, at most the number of waiting rows */
  constructor(commits: readonly Commit[], sizeOf: (waiting: number) => number) {
    this.#commits = [...commits]
    this.#sizeOf = sizeOf
  }

  add(row: BodyRow): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ row, resolve, reject })
      // The rows of all requests that the event loop reads together share a commit.
      if (this.#waiting.length === 1) setImmediate(() => this.#next())
    })
  }

  #next(): void {
    while (this.#waiting.length > 0 && this.#commits.length > 0) {
      const size = this.#sizeOf(Math.min(MAX_ROWS, this.#waiting.length))
      void this.#write(this.#commits.pop() as Commit, this.#waiting.splice(0, size))
    }
  }

  async #write(commit: Commit, items: readonly Waiting[]): Promise<void> {
    try {
      await commit(items.map(({ row }) => row))
      for (const { resolve } of items) resolve()
    } catch (error) {
      for (const { reject } of items) reject(error as Error)
    }
    this.#commits.push(commit)
    this.#next()
  }
}

/** Starts the writer thread of SQLite. */
function sqliteCommit(file: string): Commit {
  const thread = new Worker(new URL('durable-writer.ts', import.meta.url), { workerData: file })
  let done: { resolve(): void; reject(error: Error): void } | undefined
  thread.on('message', () => done?.resolve())
  thread.on('error', (error: Error) => done?.reject(error))
  return (rows) =>
    new Promise((resolve, reject) => {
      done = { resolve, reject }
      thread.postMessage(rows)
    })
}

/** Opens a connection to PostgreSQL; each transaction is one statement, prepared for each number of rows. */
async function postgresCommit(connectionString: string): Promise<Commit> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  return async (rows) => {
    const values = rows.map((_, index) => `($${2 * index + 1}, $${2 * index + 2})`).join(', ')
    const text = `insert into bodies (id, body) values ${values}`
    await client.query({ name: `insert_${rows.length}`, text, values: rows.flat() })
  }
}

/** Returns the largest power of two up to a number, so that few different statements need preparing. */
const powerOfTwo = (most: number): number => 2 ** Math.floor(Math.log2(most))

async function openCommits({ file, databaseUrl }: DurableStorage): Promise<GroupCommit> {
  if (databaseUrl === undefined) return new GroupCommit([sqliteCommit(file)], (waiting) => waiting)
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('create table if not exists bodies (id text primary key, body bytea not null)')
  await client.end()
  const connections = Array.from({ length: CONNECTIONS }, () => postgresCommit(databaseUrl))
  return new GroupCommit(await Promise.all(connections), powerOfTwo)
}

/** Place of the table `bodies`: a file of SQLite, or a PostgreSQL database. */
export interface DurableStorage {
  readonly file: string
  readonly databaseUrl: string | undefined
}

const server = Fastify({ logger: false })

/** Starts the HTTP server on a free port of 127.0.0.1. */
async function start(storage: DurableStorage): Promise<{ url: string }> {
  const commits = await openCommits(storage)
  const bodies = new WeakMap<object, Buffer>()
  server.setValidatorCompiler(shapeCompiler)
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    const parsed = JSON.parse(body.toString())
    bodies.set(parsed, body as Buffer)
    done(null, parsed)
  })
  server.route({
    method: 'POST',
    url: '/v1/messages',
    schema: { headers: IdempotencyHeaders, body: SendBody, response: { 202: SendAnswer } },
    async handler(request, reply) {
      const id = newId('msg')
      await commits.add([id, bodies.get(request.body as object) as Buffer])
      reply.code(202)
      return { message_id: id, status: 'queued' }
    },
  })
  await server.listen({ host: '127.0.0.1', port: 0 })
  return { url: `http://127.0.0.1:${(server.server.address() as AddressInfo).port}` }
}

const calls = { start, ...measuredCalls }
export type DurableHandlerCalls = typeof calls
answerParent(calls, () => server.close())
