// The durable reference for the measurement of acceptance: the bare handler, which also stores the body of each request
// durably before the response. Requests that arrive during a commit share the next commit.

import type { AddressInfo } from 'node:net'
import { Worker } from 'node:worker_threads'
import Fastify from 'fastify'
import pg from 'pg'
import { IdempotencyHeaders } from '../../src/api/contract/common.ts'
import { SendAnswer, SendBody } from '../../src/api/contract/message.ts'
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

/** Commits in progress at the same time: SQLite has one writer, PostgreSQL gains from a second connection. */
const COMMITS = { sqlite: 1, postgres: 2 } as const
/** Rows of the largest transaction. The numbers of rows of PostgreSQL's statements are powers of two. */
const MAX_ROWS = 64

/** Gathers the rows that arrive while all commits are in progress. */
class GroupCommit {
  readonly #commits: Commit[]
  #waiting: Waiting[] = []

  constructor(commits: readonly Commit[]) {
    this.#commits = [...commits]
  }

  add(row: BodyRow): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ row, resolve, reject })
      // The rows of all requests that the event loop reads together share a commit.
      if (this.#waiting.length === 1) setImmediate(() => this.#next())
    })
  }

  #next(): void {
    if (this.#waiting.length === 0) return
    const commit = this.#commits.pop()
    if (commit === undefined) return
    const items = this.#waiting.splice(0, MAX_ROWS)
    commit(items.map(({ row }) => row))
      .then(
        () => {
          for (const { resolve } of items) resolve()
        },
        (error) => {
          for (const { reject } of items) reject(error)
        },
      )
      .finally(() => {
        this.#commits.push(commit)
        this.#next()
      })
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

/** Opens a connection to PostgreSQL, whose transactions are statements of 1, 2, 4, … rows. */
async function postgresCommit(connectionString: string): Promise<Commit> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  const insert = (rows: readonly BodyRow[]): Promise<unknown> =>
    client.query({
      name: `insert_${rows.length}`,
      text: `insert into bodies (id, body) values ${rows.map((_, index) => `($${2 * index + 1}, $${2 * index + 2})`).join(', ')}`,
      values: rows.flat(),
    })
  return async (rows) => {
    const parts: (readonly BodyRow[])[] = []
    for (let from = 0; from < rows.length; ) {
      const size = 2 ** Math.floor(Math.log2(rows.length - from))
      parts.push(rows.slice(from, from + size))
      from += size
    }
    if (parts.length === 1) {
      await insert(rows)
      return
    }
    await Promise.all([client.query('begin'), ...parts.map(insert), client.query('commit')])
  }
}

async function openCommits({ file, databaseUrl }: DurableStorage): Promise<GroupCommit> {
  if (databaseUrl === undefined) return new GroupCommit([sqliteCommit(file)])
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('create table if not exists bodies (id text primary key, body bytea not null)')
  await client.end()
  const connections = Array.from({ length: COMMITS.postgres }, () => postgresCommit(databaseUrl))
  return new GroupCommit(await Promise.all(connections))
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
