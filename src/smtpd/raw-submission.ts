// Submits messages of the HTTP API by the rules of the submission port; a refusal becomes a problem document.

import { fieldsNamed, isRawMessage, parseRawMessage } from '../mime/raw-message.ts'
import { parseMailboxList } from '../mime/read-mailboxes.ts'
import { type Address, isAddress, parseAddress } from '../model/address.ts'
import { type FieldProblem, invalidFields, Problem } from '../model/problem.ts'
import { LIMITS } from '../model/send-request.ts'
import type { Submitted } from '../submission/answer.ts'
import { authorize, domainOfSenders } from '../submission/authorize.ts'
import type { RawRequest, SubmitRaw } from '../submission/raw-request.ts'
import type { Submission } from '../submission/submit.ts'
import { Pacer } from '../threads/pacer.ts'
import { HEADER_LIMITS } from './limits.ts'
import type { Mending } from './mending.ts'
import { Refusal } from './replies.ts'
import { readSubmission } from './submitted-message.ts'
import { refusalOf, usableAsMended, usableAsReceived } from './usable-message.ts'

interface RawSubmissionOptions {
  /** The name of this installation in trace fields. */
  readonly hostName: string
  readonly submission: Submission
  readonly mending: Mending
}

/** Limits the time that reading and checking messages takes in each turn of the event loop. */
const pacer = new Pacer()

export const rawSubmission =
  (options: RawSubmissionOptions): SubmitRaw =>
  async (request) => {
    // Mending detaches the content, so a refusal reads the places of faults before.
    const faults = new Faults(request.content)
    try {
      return await submit(options, request, faults)
    } catch (error) {
      throw error instanceof Refusal ? faults.problemOf(error) : error
    }
  }

async function submit(
  { hostName, submission, mending }: RawSubmissionOptions,
  request: RawRequest,
  faults: Faults,
): Promise<Submitted> {
  const { content, stream, tags, idempotencyKey, traceCaller } = request
  const { from, recipients } = readEnvelope(request)
  const sender = request.senderOf(from.email)
  authorize(sender, from)
  await pacer.turn()
  const { domainName: domain, accountId } = sender
  const ofSenders = domainOfSenders(sender)
  let usable = usableAsReceived(content, ofSenders)
  if (usable === undefined) {
    faults.note()
    const mended = { from: from.email, domain: ofSenders ?? from.domain }
    usable = usableAsMended(await mending.mended(accountId, content, mended), ofSenders)
  }
  const trace = { hostName, protocol: 'HTTP', at: submission.now }
  const message = readSubmission(usable, domain, recipients, trace, {
    ...(stream === undefined ? {} : { stream }),
    ...(tags === undefined ? {} : { tags: [...new Set(tags)] }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  })
  return submission.submitMime(sender, message, { protocol: 'http', caller: traceCaller })
}

interface Envelope {
  readonly from: Address
  /** Recipients, each address once. */
  readonly recipients: readonly Address[]
}

/**
 * Returns the envelope: the addresses that the request names, or the addresses in the header. Throws
 * `validation_failed` for invalid and missing addresses, and for more recipients than a message may have, and `Refusal`
 * for a header that cannot be read.
 */
function readEnvelope({ content, from, to }: RawRequest): Envelope {
  const header = from === undefined || to === undefined ? addressesIn(content) : NO_ADDRESSES
  const problems: FieldProblem[] = []
  const read = (path: string, text: string): Address[] => {
    const address = parseAddress(text)
    if (isAddress(address)) return [address]
    const message = `This is not an email address: it ${address.problem}.`
    problems.push({ path, code: 'invalid_email', message })
    return []
  }
  const [sender] = from === undefined ? header.from.flatMap((one) => read('From', one)) : read('from', from)
  const recipients =
    to === undefined
      ? header.to.flatMap(([field, address]) => read(field, address))
      : addressesOf(to).flatMap((one, index) => read(`to[${index}]`, one))
  const unique = new Map(recipients.map((one) => [one.email, one]))
  if (problems.length === 0 && sender === undefined) {
    const message = 'Give the envelope sender; the message has no From field with an address.'
    problems.push({ path: 'from', code: 'required', message })
  }
  if (problems.length === 0 && unique.size === 0) {
    const message = 'Give the recipients; the message has no To, Cc or Bcc field with an address.'
    problems.push({ path: 'to', code: 'required', message })
  }
  if (unique.size > LIMITS.recipients) {
    const message = `A message has at most ${LIMITS.recipients} recipients, not ${unique.size}.`
    problems.push({ path: 'to', code: 'too_many_recipients', message })
  }
  if (problems.length > 0 || sender === undefined) throw invalidFields(problems)
  return { from: sender, recipients: [...unique.values()] }
}

const NO_ADDRESSES = { from: [], to: [] }

/** Returns the addresses in the header of a message. Throws `Refusal` for a header that must be mended to be read. */
function addressesIn(content: Buffer): {
  readonly from: readonly string[]
  readonly to: readonly (readonly [field: string, address: string])[]
} {
  const raw = parseRawMessage(content, HEADER_LIMITS)
  if (!isRawMessage(raw)) throw refusalOf(raw)
  const inField = (name: string): string[] => addressesOf(fieldsNamed(raw, name).map(({ value }) => value))
  const to = ['To', 'Cc', 'Bcc'].flatMap((name) => inField(name).map((address) => [name, address] as const))
  return { from: inField('From').slice(0, 1), to }
}

/** Returns the addresses in lists, and in place of an address that cannot be read the text that stands for the address. */
const addressesOf = (lists: readonly string[]): string[] =>
  lists.flatMap(parseMailboxList).flatMap(({ address, name }) => {
    const text = address === '' ? name : address
    return text === '' ? [] : [text]
  })

/** Places in a message that a refusal may name by their lines. */
class Faults {
  readonly #content: Buffer
  /** Line of each field that names a sender, from 1; undefined until read. */
  #senders: ReadonlyMap<string, number> | undefined

  constructor(content: Buffer) {
    this.#content = content
  }

  /** Reads the lines of the fields that name a sender. */
  note(): void {
    this.#senders ??= senderLines(this.#content)
  }

  /** Returns the problem for a refusal of the submission port. */
  problemOf({ reply: { code, enhanced, text } }: Refusal): Problem {
    if (code < 500) return new Problem('unavailable', `${text}.`, { retryAfter: 1 })
    if (enhanced === '5.3.4') return new Problem('body_too_large', `${text}.`)
    const [, field] = /: the (\S+) field has another domain$/.exec(text) ?? []
    if (field !== undefined) return this.#foreign(field, text)
    const [, written] = /\bline (\d+) of the (?:message|header)\b/i.exec(text) ?? []
    const line = written === undefined ? this.#bareLine() : Number(written)
    const place = written === undefined && line !== undefined ? `Line ${line}: ` : ''
    const remedy = /CR or LF/.test(text) ? '; end every line with CRLF' : ''
    const message = `${place}${text}${remedy}.`
    return invalidFields([
      { path: '', code: 'invalid_message', message, ...(line === undefined ? {} : { line }) },
    ])
  }

  #foreign(field: string, text: string): Problem {
    this.note()
    const line = this.#senders?.get(field.toLowerCase())
    const message = `${text}; use an address of the domain in this field.`
    return new Problem('domain_not_permitted', line === undefined ? message : `Line ${line}: ${message}`, {
      errors: [
        { path: field, code: 'domain_not_permitted', message, ...(line === undefined ? {} : { line }) },
      ],
    })
  }

  /** Returns the line of the first NUL, bare CR or bare LF; undefined if there is none. */
  #bareLine(): number | undefined {
    let line = 1
    for (let at = 0; at < this.#content.length; at++) {
      const byte = this.#content[at]!
      if (byte > CR) continue
      if (byte === CR && this.#content[at + 1] === LF) {
        line++
        at++
      } else if (byte === CR || byte === LF || byte === 0) return line
    }
    return undefined
  }
}

const CR = 13
const LF = 10

/** Returns the first line of each field that names a sender, by the name of the field in lower case. */
function senderLines(content: Buffer): ReadonlyMap<string, number> {
  const lines = new Map<string, number>()
  const head = content.toString('latin1', 0, Math.min(content.length, HEADER_LIMITS.headerBytes))
  for (const [index, line] of head.split('\r\n').entries()) {
    if (line === '') break
    const [, name] = /^((?:Resent-)?(?:From|Sender))[ \t]*:/i.exec(line) ?? []
    if (name !== undefined && !lines.has(name.toLowerCase())) lines.set(name.toLowerCase(), index + 1)
  }
  return lines
}
