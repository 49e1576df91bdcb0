// Reads the tables of sample replies from text files, and splits each table into rows for tuning and held-out rows.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Reply } from '../model/reply.ts'
import { ReplyParser } from './reply-parser.ts'
import type { Stage } from './stage.ts'

/** A real reply, and its expected meaning. */
export interface KnownReply {
  readonly provider: string
  readonly stage: Stage
  readonly category: string
  readonly greylisted: boolean
  readonly wire: string
}

/** A refusal that says nothing against the recipient. */
export interface RefusalOfMail {
  readonly stage: Stage
  readonly wire: string
}

/**
 * Returns the rows of a table: the fields are separated by ` | `, the reply is the last field, and a line that begins
 * with `#` is a comment.
 */
function rowsOf(file: string, fields: number): string[][] {
  return readFileSync(new URL(file, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const parts = line.split(' | ')
      return [...parts.slice(0, fields - 1), parts.slice(fields - 1).join(' | ')]
    })
}

export const KNOWN_REPLIES: readonly KnownReply[] = rowsOf('replies-of-the-field.samples.txt', 4).map(
  ([provider = '', stage, category = '', wire = '']) => ({
    provider,
    stage: stage as Stage,
    category: category.replace('~', ''),
    greylisted: category.startsWith('~'),
    wire,
  }),
)

const TO_RCPT = rowsOf('replies-to-rcpt.samples.txt', 2)
const kind = (wanted: string): readonly string[] =>
  TO_RCPT.flatMap(([given, wire = '']) => (given === wanted ? [wire] : []))

/** Replies to RCPT for a missing mailbox. */
export const NO_SUCH_MAILBOX = kind('missing')
/** Replies to RCPT that refuse the sender, in words that resemble the words for a missing mailbox. */
export const REFUSED_US = kind('refused')

export const REFUSALS_OF_MAIL: readonly RefusalOfMail[] = rowsOf('refusals-of-mail.samples.txt', 2).map(
  ([stage, wire = '']) => ({ stage: stage as Stage, wire }),
)

/** A reply, its class, and its expected meaning: a category or a finding; `!` before a meaning excludes the meaning. */
export interface ClassedReply {
  readonly group: string
  readonly stage: Stage
  readonly wanted: readonly string[]
  readonly wire: string
}

export const REPLIES_BY_CLASS: readonly ClassedReply[] = rowsOf('replies-by-class.samples.txt', 4).map(
  ([group = '', stage, wanted = '', wire = '']) => ({
    group,
    stage: stage as Stage,
    wanted: wanted.split('/'),
    wire,
  }),
)

/** A reply whose wording was unknown to the rules when the reply was first tested. */
export interface NewReply {
  readonly kind: 'dead' | 'full' | 'domain' | 'alive'
  readonly stage: Stage
  readonly wire: string
}

const newReplies = (file: string): readonly NewReply[] =>
  rowsOf(file, 3).map(([kind, stage, wire = '']) => ({
    kind: kind as NewReply['kind'],
    stage: stage as Stage,
    wire,
  }))

export const REPLIES_IN_NEW_WORDS = newReplies('replies-in-new-words.samples.txt')
/** Replies of the sets L, M and N, about which the table of concepts was tried. */
export const REPLIES_OF_THREE_SETS = newReplies('replies-of-three-sets.samples.txt')

/** Replies of the sets O, P and Q, about which the present rules of concepts were tried. */
export const REPLIES_OF_ONE_COLLECTION = newReplies('replies-of-one-collection.samples.txt')

/**
 * True for a held-out row (one row in three). Rules are never tuned on held-out rows, so that these rows measure the
 * quality for unknown text. Do not check which held-out rows fail; generalise the rules by means of the other rows.
 */
export const isHeldOut = (wire: string): boolean => createHash('sha256').update(wire).digest()[0]! % 3 === 0

/** Parses a reply from its wire form; a first line with a hyphen counts as the last line. */
export function replyOf(wire: string): Reply {
  const parser = new ReplyParser()
  parser.push(Buffer.from(`${wire.replace(/^(\d{3})-/, '$1 ')}\r\n`))
  const parsed = parser.take()
  if (parsed === undefined) throw new Error(`no reply: ${wire}`)
  return parsed.reply
}
