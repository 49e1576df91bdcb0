// Asks the configured spam filter, Rspamd or SpamAssassin, for its rules about a message.

import { connect } from 'node:net'
import type { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'

/** Answer of a spam filter. */
export interface SpamScore {
  readonly filter: 'rspamd' | 'spamassassin'
  readonly score: number
  /** Score from which the filter takes a message for spam. */
  readonly required: number
  readonly rules: readonly { readonly name: string; readonly score: number; readonly description: string }[]
}

/** Message with its envelope. */
interface FilteredMail {
  readonly raw: Buffer
  readonly from: string
  readonly recipient: string
}

/** Asks for the score of a message; undefined if the filter is away, too slow, or answers something else. */
export type AskSpamFilter = (mail: FilteredMail) => Promise<SpamScore | undefined>

const TIMEOUT_MS = 15_000
const MAX_ANSWER = 1_024 * 1_024
const MAX_RULES = 500

/** Own name and address, without which rules about the client would count against the message. */
export interface OwnClient {
  readonly helo: string
  readonly ip?: string | undefined
}

/**
 * Returns the function that asks a filter.
 *
 * @param url `rspamd+http://host:11333`, `rspamd+https://…` with the password as `:password@`, or `spamd://host:783`
 * @param http client for Rspamd, which may contact the network of the filter
 */
export function askSpamFilter(
  url: URL,
  http: Pick<OutgoingHttp, 'request'>,
  client: OwnClient,
): AskSpamFilter {
  return url.protocol === 'spamd:'
    ? (mail) => askSpamd(url, mail)
    : (mail) => askRspamd(url, http, client, mail)
}

/** Asks Rspamd (`POST /checkv2`). */
async function askRspamd(
  url: URL,
  http: Pick<OutgoingHttp, 'request'>,
  { helo, ip }: OwnClient,
  { raw, from, recipient }: FilteredMail,
): Promise<SpamScore | undefined> {
  const place = new URL('/checkv2', `${url.protocol.replace('rspamd+', '')}//${url.host}`)
  const password = decodeURIComponent(url.password)
  const answer = await http.request(place, {
    method: 'POST',
    headers: {
      'content-type': 'message/rfc822',
      ...{ from, rcpt: recipient, helo, pass: 'all' },
      ...(ip === undefined ? {} : { ip }),
      ...(password === '' ? {} : { password }),
    },
    body: raw,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_ANSWER,
  })
  if ('problem' in answer || answer.status !== 200) return undefined
  return readRspamd(answer.body.toString('utf8'))
}

/** Reads the answer of Rspamd; undefined for anything else. */
export function readRspamd(text: string): SpamScore | undefined {
  const found = objectIn(text)
  const { score, required_score: required, symbols } = found ?? {}
  if (typeof score !== 'number' || typeof required !== 'number') return undefined
  if (typeof symbols !== 'object' || symbols === null) return undefined
  const rules = Object.entries(symbols as Record<string, { score?: unknown; description?: unknown } | null>)
    .slice(0, MAX_RULES)
    .map(([name, symbol]) => ({
      name: name.slice(0, 100),
      score: typeof symbol?.score === 'number' ? symbol.score : 0,
      description: typeof symbol?.description === 'string' ? symbol.description.slice(0, 300) : '',
    }))
  return { filter: 'rspamd', score, required, rules: rules.toSorted(byWeight) }
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** Asks SpamAssassin for the table of rules (`REPORT`, protocol of spamd 1.5). */
function askSpamd(url: URL, { raw }: FilteredMail): Promise<SpamScore | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 783) })
    const pieces: Buffer[] = []
    let size = 0
    const timer = setTimeout(() => socket.destroy(), TIMEOUT_MS)
    socket.on('data', (piece: Buffer) => {
      size += piece.length
      if (size > MAX_ANSWER) socket.destroy()
      else pieces.push(piece)
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(size > MAX_ANSWER ? undefined : readSpamd(Buffer.concat(pieces).toString('utf8')))
    })
    socket.on('connect', () => {
      socket.write(`REPORT SPAMC/1.5\r\nContent-length: ${raw.length}\r\n\r\n`)
      socket.end(raw)
    })
  })
}

/** Reads a score, which spamd rounds to `-0.0` as well. */
const points = (text: string | undefined): number => Number(text) + 0

/** Reads the answer of spamd; undefined for anything else. */
function readSpamd(text: string): SpamScore | undefined {
  if (!/^SPAMD\/\d\.\d 0 /.test(text)) return undefined
  const found = /^Spam: *\w+ *; *(-?\d+(?:\.\d+)?) *\/ *(-?\d+(?:\.\d+)?)/m.exec(text)
  if (found === null) return undefined
  const rules: SpamScore['rules'][number][] = []
  for (const line of text.slice(text.indexOf('\r\n\r\n') + 4).split(/\r?\n/)) {
    const [, score, name, description] =
      /^ ?\*? {0,3}(-?\d+(?:\.\d+)?) +([A-Z][A-Z\d_]{1,80}) {1,40}(.{0,300})/.exec(line) ?? []
    const last = rules.at(-1)
    if (name !== undefined) {
      if (rules.length < MAX_RULES)
        rules.push({ name, score: points(score), description: description?.trim() ?? '' })
    } else if (last !== undefined && /^ {20,}\S/.test(line)) {
      // A long description continues on the next line.
      rules[rules.length - 1] = { ...last, description: `${last.description} ${line.trim()}`.slice(0, 300) }
    }
  }
  return {
    filter: 'spamassassin',
    score: points(found[1]),
    required: Number(found[2]),
    rules: rules.toSorted(byWeight),
  }
}

const byWeight = (one: { readonly score: number }, other: { readonly score: number }): number =>
  Math.abs(other.score) - Math.abs(one.score)
