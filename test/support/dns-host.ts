// A scripted DNS server on a loopback port, over UDP and TCP; a test sets its zone, failures and delays.

import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket as TcpSocket } from 'node:net'
import {
  type Answer,
  AUTHENTIC_DATA,
  decode,
  encode,
  type Packet,
  streamEncode,
  TRUNCATED_RESPONSE,
} from 'dns-packet'
import { KEPT_BY_AN_ANSWER_MS } from './limits.ts'

/** Records of one name; the response for a missing type is "no data". */
export interface DnsRecords {
  readonly A?: readonly string[]
  readonly AAAA?: readonly string[]
  /** Preferences and exchanges, such as `10 mx.example.com`; a null MX record is `0 .`. */
  readonly MX?: readonly string[]
  /** TXT records; an inner array is one record of several strings. */
  readonly TXT?: readonly (string | readonly string[])[]
  readonly NS?: readonly string[]
  readonly CNAME?: string
  readonly PTR?: readonly string[]
  /** TLSA records, such as `3 1 1 <hexadecimal>`. */
  readonly TLSA?: readonly string[]
  /** True if responses are marked as validated by DNSSEC. */
  readonly secure?: boolean
  /** TTL of the records in seconds; 300 by default. */
  readonly ttl?: number
}

/** A DNS record of a domain as the API shows it. */
interface ShownRecord {
  readonly type: string
  readonly name: string
  readonly value: string
}

/** A failure instead of records: `TIMEOUT` sends no response, and `GARBAGE` sends an invalid DNS message. */
export type DnsFailure = 'SERVFAIL' | 'REFUSED' | 'NXDOMAIN' | 'TIMEOUT' | 'GARBAGE'

/** Records of a name, or a function that returns the records for each query. */
type DnsEntry = DnsRecords | DnsFailure | (() => DnsRecords | DnsFailure)

/**
 * Records by name; `*.example.com` applies to every name below `example.com` that has no entry. Other names do not
 * exist.
 */
export type DnsZone = Readonly<Record<string, DnsEntry>>

/**
 * Timeout and number of attempts of a resolver whose queries all get a response; no machine is slow enough to reach the
 * timeout.
 */
export const ANSWERED = { timeoutMs: KEPT_BY_AN_ANSWER_MS, tries: 1 } as const

/** Timeout and number of attempts of a resolver whose queries get no response. */
export const UNANSWERED = { timeoutMs: 100, tries: 2 } as const

const RCODES = { SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const
const UDP_SIZE = 1232

type RecordType = Exclude<keyof DnsRecords, 'ttl' | 'secure'>

/** The DNS server; a test calls `DnsHost.start` and `stop`, and changes records with `set`. */
export class DnsHost {
  /** Received queries, such as `MX example.com`, oldest first. */
  readonly queries: string[] = []
  readonly #zone = new Map<string, DnsEntry>()
  readonly #udp: Socket = createSocket('udp4')
  readonly #tcp: Server = createServer((socket) => this.#onTcp(socket))
  readonly #sockets = new Set<TcpSocket>()

  private constructor(zone: DnsZone) {
    for (const [name, records] of Object.entries(zone)) this.set(name, records)
    this.#udp.on('message', (message, from) => this.#onUdp(message, from))
  }

  static async start(zone: DnsZone = {}): Promise<DnsHost> {
    // A port that is free for UDP may be in use for TCP, so several ports are tried.
    for (let left = 10; ; left--) {
      const host = new DnsHost(zone)
      host.#udp.bind(0, '127.0.0.1')
      await once(host.#udp, 'listening')
      host.#tcp.listen(host.port, '127.0.0.1')
      try {
        await once(host.#tcp, 'listening')
        return host
      } catch (error) {
        host.#udp.close()
        if (left === 0) throw error
      }
    }
  }

  get port(): number {
    return (this.#udp.address() as AddressInfo).port
  }

  /** Address and port of the server, for the configuration of a resolver. */
  get server(): string {
    return `127.0.0.1:${this.port}`
  }

  /** Adds or replaces the records of a name. */
  set(name: string, records: DnsEntry): void {
    this.#zone.set(name.toLowerCase(), records)
  }

  /** Publishes the TXT and CNAME records of a domain, as the API shows them. */
  publish(records: readonly ShownRecord[]): void {
    for (const { type, name, value } of records) {
      // A TXT record consists of strings of at most 255 bytes (RFC 1035 §3.3.14).
      this.set(name, type === 'TXT' ? { TXT: [value.match(/.{1,255}/g) ?? []] } : { CNAME: value })
    }
  }

  /** Returns the number of queries for this name; `type` counts only queries of one record type. */
  count(name: string, type?: string): number {
    return this.queries.filter((query) => {
      const [askedType, askedName] = query.split(' ')
      return askedName === name.toLowerCase() && (type === undefined || type === askedType)
    }).length
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#udp.close()
    this.#tcp.close()
    await once(this.#tcp, 'close')
  }

  #onUdp(message: Buffer, from: RemoteInfo): void {
    const send = (bytes: Buffer) => this.#udp.send(bytes, from.port, from.address)
    const answer = this.#answer(decode(message))
    if (answer === 'TIMEOUT') return
    if (answer === 'GARBAGE') {
      send(Buffer.from([message[0]!, message[1]!, 0xff, 0xff, 0xff]))
      return
    }
    const bytes = encode(answer)
    const fits = bytes.length <= UDP_SIZE
    send(fits ? bytes : encode({ ...answer, flags: (answer.flags ?? 0) | TRUNCATED_RESPONSE, answers: [] }))
  }

  #onTcp(socket: TcpSocket): void {
    this.#sockets.add(socket)
    let bytes = Buffer.alloc(0)
    socket.on('error', () => {})
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk])
      while (bytes.length >= 2 && bytes.length >= 2 + bytes.readUInt16BE(0)) {
        const end = 2 + bytes.readUInt16BE(0)
        const answer = this.#answer(decode(bytes.subarray(2, end)))
        bytes = bytes.subarray(end)
        if (typeof answer !== 'string') socket.write(streamEncode(answer))
      }
    })
  }

  #answer(query: Packet): Packet | 'TIMEOUT' | 'GARBAGE' {
    const question = query.questions?.[0]
    const base: Packet = { type: 'response', id: query.id ?? 0, questions: query.questions ?? [] }
    if (question === undefined) return { ...base, flags: 1 }
    const name = question.name.toLowerCase()
    this.queries.push(`${question.type} ${name}`)
    const found = this.#find(name)
    if (found === 'TIMEOUT' || found === 'GARBAGE') return found
    if (typeof found === 'string') return { ...base, flags: RCODES[found] }
    return {
      ...base,
      flags: found.secure ? AUTHENTIC_DATA : 0,
      answers: this.#records(question.name, question.type as RecordType, found),
    }
  }

  #find(name: string): DnsRecords | DnsFailure {
    const entry = this.#findEntry(name)
    return typeof entry === 'function' ? entry() : entry
  }

  #findEntry(name: string): DnsEntry {
    const exact = this.#zone.get(name)
    if (exact !== undefined) return exact
    for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
      const wildcard = this.#zone.get(`*${name.slice(dot)}`)
      if (wildcard !== undefined) return wildcard
    }
    // A name without records exists if another name is below it (RFC 8020).
    return [...this.#zone.keys()].some((known) => known.endsWith(`.${name}`)) ? {} : 'NXDOMAIN'
  }

  #records(name: string, type: RecordType, found: DnsRecords, depth = 0): Answer[] {
    const ttl = found.ttl ?? 300
    if (found.CNAME !== undefined) {
      const alias: Answer = { type: 'CNAME', name, ttl, data: found.CNAME }
      const target = this.#find(found.CNAME.toLowerCase())
      if (type === 'CNAME' || depth > 8 || typeof target === 'string') return [alias]
      return [alias, ...this.#records(found.CNAME, type, target, depth + 1)]
    }
    if (type === 'MX') {
      return (found.MX ?? []).map((text) => {
        const space = text.indexOf(' ')
        const data = { preference: Number(text.slice(0, space)), exchange: text.slice(space + 1) }
        return { type, name, ttl, data }
      })
    }
    if (type === 'TXT') {
      return (found.TXT ?? []).map((data) => ({
        type,
        name,
        ttl,
        data: typeof data === 'string' ? [data] : [...data],
      }))
    }
    if (type === 'CNAME') return []
    if (type === 'TLSA') {
      return (found.TLSA ?? []).map((text) => {
        const [usage, selector, matchingType, data = ''] = text.split(' ')
        const certificate = Buffer.from(data, 'hex')
        const numbers = {
          usage: Number(usage),
          selector: Number(selector),
          matchingType: Number(matchingType),
        }
        return { type, name, ttl, data: { ...numbers, certificate } }
      })
    }
    return (found[type] ?? []).map((data) => ({ type, name, ttl, data }) as Answer)
  }
}
