// The filter of events: its conditions on a row of the feed and on the content of an event.

import { inAnyCase } from '../../model/address.ts'
import { espOf } from '../../model/esp.ts'
import { type EventType, isCounted } from '../../model/event.ts'
import { subjectWords } from '../../model/subject-words.ts'
import type { FeedRow, PublishedEvent } from './feed.ts'

/** Conditions on an event; each is optional. */
export interface EventFilter {
  readonly types?: ReadonlySet<EventType> | undefined
  readonly messageId?: string | undefined
  /** Address of the recipient as the message spells it. */
  readonly email?: string | undefined
  readonly search?: EventSearch | undefined
  readonly stream?: string | undefined
  readonly tag?: string | undefined
  /** Milliseconds since the epoch: at or after. */
  readonly after?: number | undefined
  /** Receiving provider by the host of the attempt; `null` for hosts without a known provider. */
  readonly provider?: string | null | undefined
  /** Cause of a bounce, deferral or failure. */
  readonly category?: string | undefined
  /** Milliseconds since the epoch: before. */
  readonly before?: number | undefined
  /**
   * Restricts the list to events that count in figures: the first deferral of a recipient, and the first open and
   * click.
   */
  readonly counted?: true | undefined
}

/** A search text; either condition suffices. */
interface EventSearch {
  /** Beginning of the recipient's address in any case. */
  readonly emailBegins: string
  /** Words of the subject (`subjectWords`), each matched from its beginning; an empty list matches no subject. */
  readonly words: readonly string[]
}

/** Returns the conditions on a row of the feed. */
export const ofRow =
  ({ types, messageId }: EventFilter) =>
  (row: FeedRow): boolean =>
    (types?.has(row.type) ?? true) && (messageId === undefined || row.message_id === messageId)

/** Returns the conditions on the content of an event. */
export const ofContent =
  (filter: EventFilter) =>
  (event: PublishedEvent): boolean =>
    (filter.email === undefined || event.email === filter.email) &&
    (filter.search === undefined || isFound(filter.search, event)) &&
    (filter.stream === undefined || event.stream === filter.stream) &&
    (filter.tag === undefined || event.tag === filter.tag) &&
    (filter.after === undefined || event.at >= filter.after) &&
    (filter.before === undefined || event.at < filter.before) &&
    ofDetail(filter)(event)

/** Returns the conditions on the detail of an event. */
export const ofDetail =
  ({ provider, category, counted }: EventFilter) =>
  ({ type, detail }: PublishedEvent): boolean =>
    (category === undefined || detail.category === category) &&
    (provider === undefined || providerOf(detail) === provider) &&
    (counted === undefined || isCounted(type, attemptOf(detail), isRepeated(type, detail)))

const attemptOf = ({ attempt }: PublishedEvent['detail']): number => (typeof attempt === 'number' ? attempt : 1)

const isRepeated = (type: EventType, { kind }: PublishedEvent['detail']): boolean =>
  (type === 'opened' || type === 'clicked') && kind !== 'first'

const providerOf = ({ mx }: PublishedEvent['detail']): string | null =>
  (typeof mx === 'string' ? espOf(mx)?.name : undefined) ?? null

const isFound = ({ emailBegins, words }: EventSearch, { email, subject }: PublishedEvent): boolean =>
  inAnyCase(email).startsWith(inAnyCase(emailBegins)) || hasWords(subject, words)

/** True if each of these words begins a word of the subject; false for no words. */
export function hasWords(subject: string, words: readonly string[]): boolean {
  const all = words.length === 0 ? [] : subjectWords(subject)
  return words.length > 0 && words.every((word) => all.some((one) => one.startsWith(word)))
}

/** True for a filter with conditions on the content of an event, which a row of the feed does not have. */
export const isOfContent = (filter: EventFilter): boolean => {
  const { email, search, stream, tag, provider, category, counted } = filter
  return [email, search, stream, tag, provider, category, counted].some((one) => one !== undefined)
}
