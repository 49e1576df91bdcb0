// Asks a validating name server, and reports whether DNSSEC validation succeeded (RFC 4035 §3.2.3, RFC 6840 §5.7).

import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { getServers } from 'node:dns'
import { connect, isIP, isIPv6 } from 'node:net'
import {
  type Answer,
  AUTHENTIC_DATA,
  type DecodedPacket,
  decode,
  encode,
  RECURSION_DESIRED,
  streamEncode,
} from 'dns-packet'
import { type Clock, systemClock } from '../lib/clock.ts'
import type { TlsaRecord } from '../model/tlsa.ts'
import { AnswerCache, type Kept } from './answer-cache.ts'
import { normalizeHostName } from './host-name.ts'
import type { DnsAnswer } from './resolver.ts'

/**
 * An answer, and whether the name server validated it. The validation is only as trustworthy as the path to that name
 * server.
 */
type SecureAnswer<T> = DnsAnswer<T> & { readonly secure: boolean }

/** Resolver with DNSSEC status. The methods never reject. */
export interface SecureResolver {
  /** Returns the host names in MX records, in lower case; the name in a null MX is empty. */
  mx(name: string): Promise<SecureAnswer<readonly string[]>>
  /** Returns the IPv4 addresses of a host, or the IPv6 addresses if the host has no IPv4 addresses. */
  address(name: string): Promise<SecureAnswer<readonly string[]>>
  tlsa(name: string): Promise<SecureAnswer<readonly TlsaRecord[]>>
}

export interface SecureResolverOptions {
  /** Name servers as `address` or `address:port`; the servers of the operating system if absent or empty. */
  readonly servers?: readonly string[] | undefined
  /** Timeout of each attempt; every server is asked twice. */
  readonly timeoutMs?: number | undefined
  readonly clock?: Clock | undefined
}

type RecordType = 'MX' | 'A' | 'AAAA' | 'TLSA'

const ROUNDS = 2
const MAX_SERVERS = 3
const MAX_RECORDS = 100
const MAX_ALIASES = 8

const SECOND = 1000
const KEEP_AT_MOST = 3600
const KEEP_NOTHING = 60
const KEEP_FAILURE = 5

/** Creates a resolver that trusts the DNSSEC validation of its name servers. */
export function createSecureResolver(options: SecureResolverOptions = {}): SecureResolver {
  const given = options.servers?.length ? options.servers : getServers()
  const servers = given.slice(0, MAX_SERVERS).map(parseServer)
  const timeoutMs = options.timeoutMs ?? 2500
  const cache = new AnswerCache<SecureAnswer<unknown>>(options.clock ?? systemClock, 'secure_dns_answers')

  function ask<T>(type: RecordType, name: string, read: (answer: Answer) => T | undefined) {
    const host = normalizeHostName(name)
    if (host === undefined) {
      return Promise.resolve<SecureAnswer<readonly T[]>>({ kind: 'failure', code: 'EBADNAME', secure: false })
    }
    const question = () =>
      query(servers, type, host, timeoutMs).then((packet) => keep(packet, type, host, read))
    return cache.get(`${type} ${host}`, question) as Promise<SecureAnswer<readonly T[]>>
  }

  return {
    mx: (name) => ask('MX', name, (it) => (it.type === 'MX' ? exchangeOf(it.data.exchange) : undefined)),
    async address(name) {
      const ipv4 = await ask('A', name, (it) => (it.type === 'A' ? it.data : undefined))
      // A failed lookup of one address family is ignored if the other family has addresses.
      if (ipv4.kind === 'found') return ipv4
      const ipv6 = await ask('AAAA', name, (it) => (it.type === 'AAAA' ? it.data : undefined))
      return ipv6.kind === 'found' || ipv4.kind !== 'failure' ? ipv6 : ipv4
    },
    tlsa: (name) => ask('TLSA', name, readTlsa),
  }
}

const exchangeOf = (exchange: string): string => exchange.replace(/\.$/, '').toLowerCase()

function readTlsa(answer: Answer): TlsaRecord | undefined {
  if (answer.type !== 'TLSA') return undefined
  const { usage, selector, matchingType, certificate } = answer.data
  return { usage, selector, matchingType, data: certificate }
}

/** Extracts the answer and its lifetime from a DNS response. */
function keep<T>(
  packet: DecodedPacket | string,
  type: RecordType,
  name: string,
  read: (answer: Answer) => T | undefined,
): Kept<SecureAnswer<readonly T[]>> {
  if (typeof packet === 'string') {
    return { answer: { kind: 'failure', code: packet, secure: false }, forMs: KEEP_FAILURE * SECOND }
  }
  const secure = packet.flag_ad
  const { rcode } = packet as DecodedPacket & { readonly rcode: string }
  if (rcode === 'NXDOMAIN') return { answer: { kind: 'nxdomain', secure }, forMs: KEEP_NOTHING * SECOND }
  if (rcode !== 'NOERROR') {
    return { answer: { kind: 'failure', code: `E${rcode}`, secure: false }, forMs: KEEP_FAILURE * SECOND }
  }
  const found = recordsAt(packet.answers ?? [], type, name)
  const records = found.flatMap((answer) => read(answer) ?? [])
  if (records.length === 0) return { answer: { kind: 'nodata', secure }, forMs: KEEP_NOTHING * SECOND }
  const ttl = Math.min(KEEP_AT_MOST, ...found.map((answer) => ('ttl' in answer ? (answer.ttl ?? 0) : 0)))
  return { answer: { kind: 'found', records, secure }, forMs: ttl * SECOND }
}

/** Returns the records of a name, or of the target name if the name is an alias. */
function recordsAt(answers: readonly Answer[], type: RecordType, name: string): Answer[] {
  let owner = name
  for (let aliases = 0; aliases <= MAX_ALIASES; aliases++) {
    const own = answers.filter((answer) => answer.name.replace(/\.$/, '').toLowerCase() === owner)
    const found = own.filter((answer) => answer.type === type)
    if (found.length > 0) return found.slice(0, MAX_RECORDS)
    const alias = own.find((answer) => answer.type === 'CNAME')
    if (alias?.type !== 'CNAME') return []
    owner = alias.data.replace(/\.$/, '').toLowerCase()
  }
  return []
}

interface Server {
  readonly address: string
  readonly port: number
}

function parseServer(text: string): Server {
  const match = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(text)
  const address = isIPv6(text) ? text : (match?.[1] ?? match?.[2] ?? '')
  if (isIP(address) === 0) throw new Error(`not a name server: ${text}`)
  return { address, port: Number(match?.[3] ?? 53) }
}

/** Returns the first complete response of a name server; an error code if no name server responds. */
async function query(
  servers: readonly Server[],
  type: RecordType,
  name: string,
  timeoutMs: number,
): Promise<DecodedPacket | string> {
  let code = 'ETIMEOUT'
  for (let round = 0; round < ROUNDS; round++) {
    for (const server of servers) {
      const id = randomInt(65_536)
      const packet = {
        type: 'query' as const,
        id,
        // The AD flag in a query requests the AD flag in the response, without the signatures that the DO flag would
        // add (RFC 6840 §5.7).
        flags: RECURSION_DESIRED | AUTHENTIC_DATA,
        questions: [{ type, name }],
        additionals: [{ type: 'OPT' as const, name: '.' as const, udpPayloadSize: 1232, flags: 0 }],
      }
      const reply = await overUdp(server, packet as Parameters<typeof encode>[0], timeoutMs)
      const whole =
        typeof reply !== 'string' && reply.flag_tc
          ? await overTcp(server, packet as Parameters<typeof encode>[0], timeoutMs)
          : reply
      if (typeof whole === 'string') code = whole
      else if (answersTo(whole, id, type, name)) return whole
      else code = 'EBADRESP'
    }
  }
  return code
}

function answersTo(packet: DecodedPacket, id: number, type: RecordType, name: string): boolean {
  const question = packet.questions?.[0]
  return (
    packet.type === 'response' &&
    packet.id === id &&
    question?.type === type &&
    question.name.toLowerCase() === name
  )
}

type Question = Parameters<typeof encode>[0]

function overUdp({ address, port }: Server, question: Question, timeoutMs: number) {
  return new Promise<DecodedPacket | string>((resolve) => {
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
    const timer = setTimeout(() => finish('ETIMEOUT'), timeoutMs)
    const finish = (result: DecodedPacket | string): void => {
      clearTimeout(timer)
      socket.removeAllListeners().on('error', () => {})
      socket.close()
      resolve(result)
    }
    socket.once('error', (error: NodeJS.ErrnoException) => finish(error.code ?? 'EUNKNOWN'))
    // A connected socket receives nothing from other addresses.
    socket.connect(port, address, (error?: NodeJS.ErrnoException) =>
      error === undefined || error === null
        ? socket.send(encode(question))
        : finish(error.code ?? 'EUNKNOWN'),
    )
    socket.on('message', (message) => {
      const reply = decoded(message)
      // A response to another question may be late or forged.
      if (typeof reply === 'string' || reply.id === question.id) finish(reply)
    })
  })
}

function overTcp({ address, port }: Server, question: Question, timeoutMs: number) {
  return new Promise<DecodedPacket | string>((resolve) => {
    const socket = connect({ host: address, port })
    const timer = setTimeout(() => finish('ETIMEOUT'), timeoutMs)
    const finish = (result: DecodedPacket | string): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(result)
    }
    let bytes = Buffer.alloc(0)
    socket.on('error', (error: NodeJS.ErrnoException) => finish(error.code ?? 'EUNKNOWN'))
    socket.on('close', () => finish('ECONNRESET'))
    socket.on('connect', () => socket.write(streamEncode(question)))
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk])
      if (bytes.length >= 2 && bytes.length >= 2 + bytes.readUInt16BE(0)) {
        finish(decoded(bytes.subarray(2, 2 + bytes.readUInt16BE(0))))
      }
    })
  })
}

function decoded(message: Buffer): DecodedPacket | string {
  try {
    return decode(message)
  } catch {
    return 'EBADRESP'
  }
}
