// The event filter: conditions on a row of the event feed and on the content of an event.

import type { FeedEventType } from '../../model/account-event.ts'
import { inAnyCase } from '../../model/address.ts'
import { espOf } from '../../model/esp.ts'
import { type EventType, isCounted } from '../../model/event.ts'
import { hasMetadata, type MetadataEntry } from '../../model/message.ts'
import { subjectWords } from '../../model/subject-words.ts'
import type { FeedRow, PublishedEvent } from './feed.ts'

/** Conditions on an event, each of which is optional. */
export interface EventFilter {
  readonly types?: ReadonlySet<EventType> | undefined
  readonly messageId?: string | undefined
  /** Address of the recipient, spelled as in the message. */
  readonly email?: string | undefined
  readonly search?: EventSearch | undefined
  readonly stream?: string | undefined
  readonly tag?: string | undefined
  /** Searchable values that the metadata of the message must contain. */
  readonly metadata?: readonly MetadataEntry[] | undefined
  /** Earliest time of an event, inclusive, in milliseconds since the epoch. */
  readonly after?: number | undefined
  /** Receiving provider of the contacted host; `null` selects hosts without a known provider. */
  readonly provider?: string | null | undefined
  /** Cause of a bounce, deferral or failure. */
  readonly category?: string | undefined
  /** Latest time of an event, exclusive, in milliseconds since the epoch. */
  readonly before?: number | undefined
  /**
   * Excludes events that the statistics do not count, such as repeated opens and clicks, and deferrals of a recipient
   * after the first deferral.
   */
  readonly counted?: true | undefined
}

/** Conditions that are derived from a search text; an event matches if either condition is true. */
interface EventSearch {
  /** Prefix of the recipient's address, case-insensitive. */
  readonly emailBegins: string
  /** Words of the subject (`subjectWords`), each matched as a prefix; an empty list matches no subject. */
  readonly words: readonly string[]
}

/** Returns a function that checks the filter's conditions on a row of the feed. */
export const ofRow =
  ({ types, messageId }: EventFilter) =>
  (row: FeedRow): boolean =>
    ((types as ReadonlySet<FeedEventType> | undefined)?.has(row.type) ?? true) &&
    (messageId === undefined || row.message_id === messageId)

/** Returns a function that checks the filter's conditions on the content of an event. */
export const ofContent =
  (filter: EventFilter) =>
  (event: PublishedEvent): boolean =>
    (filter.email === undefined || event.email === filter.email) &&
    (filter.search === undefined || isFound(filter.search, event)) &&
    (filter.stream === undefined || event.stream === filter.stream) &&
    (filter.tag === undefined || event.tags.includes(filter.tag)) &&
    (filter.metadata === undefined || hasMetadata(event.metadata, filter.metadata)) &&
    (filter.after === undefined || event.at >= filter.after) &&
    (filter.before === undefined || event.at < filter.before) &&
    ofDetail(filter)(event)

/** Returns a function that checks the filter's conditions on the detail of an event. */
export const ofDetail =
  ({ provider, category, counted }: EventFilter) =>
  ({ type, detail }: PublishedEvent): boolean =>
    (category === undefined || detail.category === category) &&
    (provider === undefined || providerOf(detail) === provider) &&
    (counted === undefined || isCounted(type, attemptOf(detail), isRepeated(type, detail)))

const attemptOf = ({ attempt }: PublishedEvent['detail']): number =>
  typeof attempt === 'number' ? attempt : 1

const isRepeated = (type: EventType, { kind }: PublishedEvent['detail']): boolean =>
  (type === 'opened' || type === 'clicked') && kind !== 'first'

const providerOf = ({ mx }: PublishedEvent['detail']): string | null =>
  (typeof mx === 'string' ? espOf(mx)?.name : undefined) ?? null

const isFound = ({ emailBegins, words }: EventSearch, { email, subject }: PublishedEvent): boolean =>
  inAnyCase(email).startsWith(inAnyCase(emailBegins)) || hasWords(subject, words)

/** True if each of the given words is a prefix of a word in the subject; false if no words are given. */
export function hasWords(subject: string, words: readonly string[]): boolean {
  const all = words.length === 0 ? [] : subjectWords(subject)
  return words.length > 0 && words.every((word) => all.some((one) => one.startsWith(word)))
}

/** True if the filter has conditions on the content of an event, which a row of the feed does not contain. */
export const isOfContent = (filter: EventFilter): boolean => {
  const { email, search, stream, tag, metadata, provider, category, counted } = filter
  return [email, search, stream, tag, metadata, provider, category, counted].some((one) => one !== undefined)
}
