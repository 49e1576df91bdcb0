// Processes a part of a bulk: converts the rows to messages, checks each message, and stores messages and results in
// one write.

import type { TemplateOrigin } from '../model/message-origin.ts'
import { Problem } from '../model/problem.ts'
import type { SendRequest } from '../model/send-request.ts'
import { acceptBulkRows, type RowMessage } from '../store/accepting/accept-bulk.ts'
import type { PendingRow } from '../store/bulk/bulks.ts'
import type { DeltaBase } from '../store/messages/delta.ts'
import type { HeldWork } from '../store/node/leased-work.ts'
import { Pacer } from '../threads/pacer.ts'
import { freeContent } from './accept.ts'
import { allowanceExhausted } from './answer.ts'
import type { Sender } from './authorize.ts'
import { MAX_PART_BYTES, type Parts } from './batch.ts'

/** Rows of a bulk; this node holds the lease of the bulk. */
export interface BulkPart {
  readonly held: HeldWork
  readonly rows: readonly PendingRow[]
  /** Content that is stored once for the bulk, and the length of the beginning that all messages share. */
  readonly base: DeltaBase
  readonly common: number
  /** Template of all rows; undefined if the message of the bulk contains the texts itself. */
  readonly template?: TemplateOrigin | undefined
  /** Returns the message of a row, without the common beginning. Throws `Problem` for an invalid row. */
  requestOf(row: PendingRow): Promise<SendRequest>
}

export interface BulkPartEnd {
  readonly accepted: number
  /** Line of the last processed row; undefined if no row was processed. */
  readonly line: number | undefined
  /** Problem that prevents the next row and all later rows from being accepted now. */
  readonly problem?: Problem
  /** True if another node holds the bulk, or the bulk was cancelled. */
  readonly isLost: boolean
}

/** Time after which a part is stored even if it is not full, because templates may be slow. */
const MAX_PART_MS = 1_000
/** Limits the time that the rows of all bulks on this node take in each turn of the event loop. */
const pacer = new Pacer()

/** Codes of problems that concern a single row. */
const OF_ROWS: ReadonlySet<string> = new Set([
  'validation_failed',
  'body_too_large',
  'content_refused',
  'recipient_not_permitted',
])
/** Fields that all rows share, and that can become invalid after the bulk was accepted. */
const OF_ALL_ROWS = /^(from|stream|track_opens|track_links)$/

/** Stores one part. */
export class BulkPartRun {
  readonly #parts: Parts
  readonly #sender: Sender
  readonly #part: BulkPart
  readonly #now: number
  readonly #messages: RowMessage[] = []
  readonly #contents: Uint8Array[] = []
  readonly #refused: { line: number; refusal: string }[] = []
  #bytes = 0
  #line: number | undefined

  constructor(parts: Parts, sender: Sender, part: BulkPart, now: number) {
    this.#parts = parts
    this.#sender = sender
    this.#part = part
    this.#now = now
  }

  async run(): Promise<BulkPartEnd> {
    const problem = await this.#addRows().catch((error: unknown) => {
      this.#parts.storedBytes.settle(this.#sender, this.#bytes, 0)
      throw error
    })
    const end = await this.#keep()
    return problem === undefined ? end : { problem, ...end }
  }

  /** Adds rows until the part is full; returns a problem that concerns all rows and stops the bulk. */
  async #addRows(): Promise<Problem | undefined> {
    const began = performance.now()
    for (const row of this.#part.rows) {
      await pacer.turn()
      const problem = await this.#add(row)
      if (problem !== undefined) return problem
      this.#line = row.line
      if (this.#bytes >= MAX_PART_BYTES || performance.now() - began >= MAX_PART_MS) break
    }
    return undefined
  }

  /** Converts a row to a message, or records the refusal of the row; returns a problem that concerns all rows. */
  async #add(row: PendingRow): Promise<Problem | undefined> {
    try {
      const request = await this.#part.requestOf(row)
      await this.#addMessage(row, request)
      return undefined
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      const isOfAll = error.errors.some(({ path }) => OF_ALL_ROWS.test(path))
      if (!OF_ROWS.has(error.code) || isOfAll) return error
      this.#refused.push({ line: row.line, refusal: refusalOf(error) })
      return undefined
    }
  }

  async #addMessage({ line }: PendingRow, request: SendRequest): Promise<void> {
    const { base, common, held, template } = this.#part
    const submitted = { request, raw: JSON.stringify(request), shapeProblems: [] }
    const options = { waits: true, flow: held.id, besides: common - 1, template }
    const { message: accept } = await this.#parts.acceptance.ofRequest(
      this.#sender,
      submitted,
      this.#now,
      options,
    )
    const { message, recipients, counted, streamRules, detail, messageIdHeader, origin, tags } = accept
    // The brace that opens the object is part of the common beginning.
    const { content: whole } = accept
    const bytes =
      typeof whole === 'string'
        ? Buffer.from(whole)
        : Buffer.from(whole.buffer, whole.byteOffset, whole.length)
    const content = base.encode(bytes.subarray(1))
    freeContent(accept)
    const refusal = await this.#parts.storedBytes.take(this.#sender, content.length)
    if (refusal !== undefined) throw refusal
    this.#bytes += content.length
    this.#contents.push(content)
    const contentEnd = this.#bytes
    this.#messages.push({
      ...{ line, contentEnd, message, recipients, counted },
      ...(streamRules === undefined ? {} : { streamRules }),
      ...(detail === undefined ? {} : { detail }),
      ...(messageIdHeader === undefined ? {} : { messageIdHeader }),
      ...(origin === undefined ? {} : { origin }),
      ...(tags === undefined ? {} : { tags }),
    })
  }

  async #keep(): Promise<BulkPartEnd> {
    const nothing = { accepted: 0, line: undefined, isLost: false }
    if (this.#line === undefined) return nothing
    const { store, storedBytes } = this.#parts
    let keptBytes = 0
    try {
      const result = await store.write(acceptBulkRows, {
        ...this.#part.held,
        messages: this.#messages,
        contents: Buffer.concat(this.#contents),
        refused: this.#refused,
      })
      if (result.kind === 'lost') return { ...nothing, isLost: true }
      const { accepted, exhausted, suppressed } = result
      keptBytes = this.#messages[accepted - 1]?.contentEnd ?? 0
      // All rows after the end of the allowance are refused.
      if (accepted > 0) this.#parts.onKept(this.#messages.slice(0, accepted), suppressed)
      const end = { accepted, line: this.#line, isLost: false }
      return exhausted === undefined ? end : { ...end, problem: allowanceExhausted({ of: exhausted }) }
    } finally {
      storedBytes.settle(this.#sender, this.#bytes, keptBytes)
    }
  }
}

/** Returns the problems of a row in the form in which they are stored. */
const refusalOf = ({ message, errors }: Problem): string =>
  JSON.stringify(errors.length > 0 ? errors : [{ path: '', code: 'refused', message }])
