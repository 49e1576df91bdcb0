// The HTTP load: a process that posts send requests over persistent connections, with one request in flight on each
// connection.

import { connect, type Socket } from 'node:net'
import { createHistogram } from 'node:perf_hooks'
import { answerParent } from '../harness/child.ts'
import {
  type CompatibleForm,
  compatibleRequest,
  requestBody,
  templateRequestBody,
} from '../harness/message.ts'
import { Stamped } from '../harness/stamped.ts'

/** Parameters of the load; the load ends after `count` requests or after `seconds`. */
export interface HttpLoad {
  readonly url: string
  readonly key: string
  readonly connections: number
  readonly destinations: readonly string[]
  readonly seconds?: number
  readonly count?: number
  /** True to send with a template, which must already exist. */
  readonly template?: boolean
  /** Service in whose form the message is sent; the form of `/v1` by default. */
  readonly form?: CompatibleForm | undefined
  /** Maximum number of requests per second; unlimited if undefined. */
  readonly rate?: number | undefined
}

/** Result of a load; latencies are in milliseconds. */
export interface LoadResult {
  readonly requests: number
  /** Number of HTTP responses with a status other than 2xx, or of refused SMTP transactions. */
  readonly refused: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly max: number
  /** CPU time of the load process per request, in microseconds. */
  readonly cpuMicros: number
  /** Time of the first request, in milliseconds since 1970. */
  readonly startedAt: number
}

const HEAD_END = '\r\n\r\n'
const LENGTH = 'content-length: '

/** One run of the load; `next` returns the number of each request. */
class Run {
  readonly latency = createHistogram({ lowest: 1, highest: 60_000_000, figures: 3 })
  readonly #load: HttpLoad
  readonly #startedAt = performance.now()
  readonly #endsAt: number
  #handedOut = 0
  answered = 0
  refused = 0

  constructor(load: HttpLoad) {
    this.#load = load
    this.#endsAt = this.#startedAt + (load.seconds ?? Number.POSITIVE_INFINITY) * 1000
  }

  /** Returns the number of the next request; undefined after the last request. */
  next(now: number): number | undefined {
    if (now >= this.#endsAt || this.#handedOut === this.#load.count) return undefined
    return this.#handedOut++
  }

  /** Returns the time in milliseconds to wait before sending the request whose number `next` returned last. */
  wait(now: number): number {
    const { rate } = this.#load
    return rate === undefined ? 0 : this.#startedAt + (this.#handedOut * 1000) / rate - now
  }

  took(ms: number, status: number): void {
    this.answered++
    if (status < 200 || status > 299) this.refused++
    this.latency.record(Math.max(1, Math.round(ms * 1000)))
  }
}

/** One HTTP connection; `done` resolves when the run has no further request for the connection. */
class Connection {
  readonly done: Promise<void>
  readonly #socket: Socket
  readonly #request: Stamped
  readonly #run: Run
  #sentAt = 0
  #pending: Buffer | undefined
  #finish: () => void = () => {}

  constructor(socket: Socket, request: Stamped, run: Run) {
    this.#socket = socket
    this.#request = request
    this.#run = run
    this.done = new Promise((resolve, reject) => {
      this.#finish = resolve
      socket.on('error', reject)
      socket.on('close', () => reject(new Error('the server closed a connection')))
    })
    socket.on('data', (chunk: Buffer) => this.#onData(chunk))
  }

  send(): void {
    const counter = this.#run.next(performance.now())
    if (counter === undefined) {
      this.#finish()
      this.#socket.destroy()
      return
    }
    const wait = this.#run.wait(performance.now())
    if (wait > 1) setTimeout(() => this.#write(counter), wait)
    else this.#write(counter)
  }

  #write(counter: number): void {
    this.#request.stamp(counter, Date.now())
    this.#sentAt = performance.now()
    this.#socket.write(this.#request.bytes)
  }

  #onData(chunk: Buffer): void {
    const answer = this.#pending === undefined ? chunk : Buffer.concat([this.#pending, chunk])
    const head = answer.indexOf(HEAD_END)
    if (head < 0 || answer.length < head + HEAD_END.length + contentLength(answer, head)) {
      this.#pending = answer
      return
    }
    this.#pending = undefined
    // The status code is at offset 9, as in `HTTP/1.1 202`.
    const status = (answer[9]! - 48) * 100 + (answer[10]! - 48) * 10 + (answer[11]! - 48)
    this.#run.took(performance.now() - this.#sentAt, status)
    this.send()
  }
}

function contentLength(answer: Buffer, head: number): number {
  const at = answer.indexOf(LENGTH)
  if (at < 0 || at > head) throw new Error('a response has no Content-Length')
  let length = 0
  for (let i = at + LENGTH.length; answer[i]! >= 48; i++) length = length * 10 + answer[i]! - 48
  return length
}

/** Returns the head and body of a send request to a recipient at this destination. */
function requestTo(destination: string, { url, key, template, form }: HttpLoad): Stamped {
  const {
    path,
    field,
    body,
    type = 'application/json',
  } = form === undefined
    ? {
        path: '/v1/messages',
        field: `Authorization: Bearer ${key}`,
        body: template === true ? templateRequestBody(destination) : requestBody(destination),
        type: undefined,
      }
    : compatibleRequest(form, destination, key)
  return new Stamped(
    [
      `POST ${path} HTTP/1.1`,
      `Host: ${new URL(url).host}`,
      field,
      `Content-Type: ${type}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  )
}

async function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  return socket
}

async function run(load: HttpLoad): Promise<LoadResult> {
  const { connections, destinations } = load
  const sockets = await Promise.all(Array.from({ length: connections }, () => openSocket(load.url)))
  const cpuBefore = process.cpuUsage()
  const startedAt = Date.now()
  const start = performance.now()
  const one = new Run(load)
  const all = sockets.map((socket, index) => {
    const request = requestTo(destinations[index % destinations.length]!, load)
    const connection = new Connection(socket, request, one)
    connection.send()
    return connection.done
  })
  await Promise.all(all)
  const seconds = (performance.now() - start) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)
  return {
    requests: one.answered,
    refused: one.refused,
    perSecond: one.answered / seconds,
    p50: one.latency.percentile(50) / 1000,
    p99: one.latency.percentile(99) / 1000,
    max: one.latency.max / 1000,
    cpuMicros: (user + system) / one.answered,
    startedAt,
  }
}

const calls = { run }
export type HttpLoadCalls = typeof calls
answerParent(calls)
