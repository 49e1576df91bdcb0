// Fetches the attachments that a send request names by URL, before the message is accepted.

import { CONTENT_BYTES, ContentMemory, HeldMemory } from '../lib/content-memory.ts'
import { Shares } from '../lib/shares.ts'
import { type FieldProblem, invalidFields, Problem } from '../model/problem.ts'
import { type AttachmentInput, LIMITS } from '../model/send-request.ts'
import type { HttpAnswer, HttpProblem, OutgoingHttp } from '../outgoing-http/outgoing-http.ts'

/** Maximum number of redirects of one URL, each of which is checked like the URL itself. */
const MAX_REDIRECTS = 5
/** Maximum number of files of one message that are fetched at once. */
const AT_ONCE = 4
/** Number of files that the node fetches at once; an account may use at most half of the unused number. */
const SLOTS = 64
/** Maximum size in bytes of the files of one message. */
const MAX_BYTES = 10 * 1024 * 1024
/** Bytes of memory for each fetched byte: the file, and its base64 in the content of the message. */
const MEMORY_FACTOR = 3

/** Returns the maximum size in bytes of the fetched files of one message. */
export const maxFileBytes = (maxMessageBytes: number): number =>
  Math.min(MAX_BYTES, Math.floor(maxMessageBytes / 2))

/** Attachments with their contents, whose memory must be released once the message is built. */
interface FetchedFiles {
  readonly attachments: readonly AttachmentInput[]
  release(): void
}

/** State of fetching the files of one message. */
interface Fetching {
  readonly held: HeldMemory
  readonly until: number
  /** Bytes of memory of each file, by index of the attachment; at most twice the size of the file. */
  readonly sizes: Map<number, number>
  /** Bytes of all complete files. */
  bytes: number
  /** True if a file was given up because no memory was left. */
  isFull: boolean
}

type Wrong = Pick<FieldProblem, 'code' | 'message'>

/** Fetches files for all accounts. */
export class AttachmentFiles {
  readonly #http: OutgoingHttp
  readonly #maxBytes: number
  readonly #slots = new Shares(SLOTS)
  readonly #memory = new ContentMemory(CONTENT_BYTES.attachment_files())

  /** @param maxBytes maximum size of the files of one message (`maxFileBytes`) */
  constructor(http: OutgoingHttp, maxBytes: number) {
    this.#http = http
    this.#maxBytes = maxBytes
  }

  /**
   * Returns the attachments with the content of their files in place of their URLs. Throws `validation_failed` with the
   * path of each file that cannot be fetched, and `unavailable` if too many files are being fetched, for this account or
   * for all.
   *
   * @param until time by `performance.now()` until which all files must arrive
   */
  async fetch(
    accountId: string,
    attachments: readonly AttachmentInput[],
    until: number,
  ): Promise<FetchedFiles> {
    const held = new HeldMemory(this.#memory, accountId)
    const fetching: Fetching = { held, until, sizes: new Map(), bytes: 0, isFull: false }
    try {
      return {
        attachments: await this.#fetchAll(accountId, attachments, fetching),
        release: () => held.release(),
      }
    } catch (error) {
      held.release()
      throw error
    }
  }

  async #fetchAll(
    accountId: string,
    attachments: readonly AttachmentInput[],
    fetching: Fetching,
  ): Promise<AttachmentInput[]> {
    const all = [...attachments]
    // Problems by index of the attachment.
    const problems: FieldProblem[] = []
    const remote = [...attachments.entries()].filter(([, { url }]) => url !== undefined).values()
    const work = async (): Promise<void> => {
      for (const [index, { url = '', ...attachment }] of remote) {
        const file = await this.#fetchOne(url, index, fetching)
        if (fetching.isFull) return
        if ('code' in file) problems[index] = { path: `attachments[${index}].url`, ...file }
        else all[index] = { ...attachment, content: file.toString('base64') }
      }
    }
    const wanted = attachments.filter(({ url }) => url !== undefined).length
    const slots = this.#takeSlots(accountId, Math.min(AT_ONCE, wanted))
    try {
      await Promise.all(Array.from({ length: slots }, work))
    } finally {
      this.#slots.release(accountId, slots)
    }
    if (fetching.isFull) throw tooMany()
    if (problems.length > 0) throw invalidFields(Object.values(problems))
    return all
  }

  /** Takes up to this many slots. Throws `unavailable` if the account may take none. */
  #takeSlots(accountId: string, wanted: number): number {
    for (let slots = wanted; slots > 0; slots--) if (this.#slots.take(accountId, slots)) return slots
    throw tooMany()
  }

  async #fetchOne(text: string, index: number, fetching: Fetching): Promise<Buffer | Wrong> {
    let url = new URL(text)
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const answer = await this.#request(url, index, fetching)
      if ('problem' in answer) return this.#wrongOf(answer)
      const { location } = answer.headers
      if (!REDIRECTS.has(answer.status) || location === undefined) return this.#fileOf(answer, fetching)
      if (!URL.canParse(location, url)) {
        return { code: 'not_fetched', message: `The host redirects to an invalid address; ${GIVE_CONTENT}.` }
      }
      url = new URL(location, url)
    }
    return {
      code: 'not_fetched',
      message: `The URL redirects more than ${MAX_REDIRECTS} times; ${GIVE_CONTENT}.`,
    }
  }

  async #request(url: URL, index: number, fetching: Fetching): Promise<HttpAnswer | HttpProblem> {
    const { held, until, sizes } = fetching
    const timeoutMs = Math.ceil(until - performance.now())
    const maxBytes = this.#maxBytes
    if (fetching.bytes > maxBytes) return { problem: 'too_large', detail: '' }
    if (timeoutMs <= 0) return { problem: 'timeout', detail: '' }
    return this.#http.request(url, {
      method: 'GET',
      headers: HEADERS,
      timeoutMs,
      maxBytes,
      mayHold(bytes) {
        sizes.set(index, bytes)
        const all = sumOf(sizes)
        if (all > 2 * maxBytes) return false
        if (held.hold(MEMORY_FACTOR * all)) return true
        fetching.isFull = true
        return false
      },
    })
  }

  #wrongOf({ problem, detail }: HttpProblem): Wrong {
    switch (problem) {
      case 'too_large':
        return this.#tooLarge()
      case 'timeout':
        return {
          code: 'timeout',
          message: `The file did not arrive within ${LIMITS.fetchMs / 1_000} s, the time for all files of a request; ${GIVE_CONTENT}.`,
        }
      case 'forbidden':
        return { code: 'url_not_permitted', message: `${detail} Use a public URL, or ${GIVE_CONTENT}.` }
      default:
        return { code: 'not_fetched', message: `${detail} Check the URL, or ${GIVE_CONTENT}.` }
    }
  }

  #tooLarge(): Wrong {
    const message = `The fetched files of a message have at most ${this.#maxBytes} bytes together; link to large files instead.`
    return { code: 'too_large', message }
  }

  #fileOf({ status, headers, body }: HttpAnswer, fetching: Fetching): Buffer | Wrong {
    if (status !== 200) {
      return {
        code: 'not_fetched',
        message: `The host answered ${status}. Check the URL, or ${GIVE_CONTENT}.`,
      }
    }
    const { 'content-encoding': encoding = 'identity' } = headers
    if (encoding.toLowerCase() === 'identity') {
      fetching.bytes += body.length
      return fetching.bytes > this.#maxBytes ? this.#tooLarge() : body
    }
    return {
      code: 'not_fetched',
      message: `The host sent the file compressed, although not asked to; ${GIVE_CONTENT}.`,
    }
  }
}

const GIVE_CONTENT = 'give the content of the file instead'
const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** The guard has no cookies and no credentials, so every host gets the same request. */
const HEADERS = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'Postrider (attachments)' }

const sumOf = (sizes: ReadonlyMap<number, number>): number =>
  sizes.values().reduce((sum, one) => sum + one, 0)

const tooMany = (): Problem =>
  new Problem('unavailable', 'Too many files are being fetched; please try again.', { retryAfter: 1 })
