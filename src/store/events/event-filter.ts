// The filter of events: its conditions, and which of them a row of the feed answers.

import { inAnyCase } from '../../model/address.ts'
import { espOf } from '../../model/esp.ts'
import type { EventType } from '../../model/event.ts'
import { subjectWords } from '../../model/subject-words.ts'
import type { FeedRow, ToldEvent } from './feed.ts'

/** Conditions that an event meets, each where it is given. */
export interface EventFilter {
  readonly types?: ReadonlySet<EventType> | undefined
  readonly messageId?: string | undefined
  /** The address of the recipient, as a message names it. */
  readonly email?: string | undefined
  readonly search?: EventSearch | undefined
  readonly stream?: string | undefined
  readonly tag?: string | undefined
  /** Milliseconds since the epoch: at or after. */
  readonly after?: number | undefined
  /** The receiving provider, by the host of the attempt; `null` for hosts of none that is known. */
  readonly provider?: string | null | undefined
  /** Cause of a bounce, deferral or failure. */
  readonly category?: string | undefined
  /** Milliseconds since the epoch: before. */
  readonly before?: number | undefined
  /** Only those that add to figures: the first deferral of a recipient, their first open and click. */
  readonly counted?: true | undefined
}

/** A text that is searched for: events meet it by either. */
interface EventSearch {
  /** Beginning of the address of the recipient, in any case. */
  readonly emailBegins: string
  /** Words of the subject (`subjectWords`), each from its beginning; none finds no subject. */
  readonly words: readonly string[]
}

/** Conditions on a row of the feed. */
export const ofRow =
  ({ types, messageId }: EventFilter) =>
  (row: FeedRow): boolean =>
    (types?.has(row.type) ?? true) && (messageId === undefined || row.message_id === messageId)

/** Conditions on what a row leads to. */
export const ofContent =
  (filter: EventFilter) =>
  (event: ToldEvent): boolean =>
    (filter.email === undefined || event.email === filter.email) &&
    (filter.search === undefined || isFound(filter.search, event)) &&
    (filter.stream === undefined || event.stream === filter.stream) &&
    (filter.tag === undefined || event.tag === filter.tag) &&
    (filter.after === undefined || event.at >= filter.after) &&
    (filter.before === undefined || event.at < filter.before) &&
    ofDetail(filter)(event)

/** Conditions on what an event tells beside its columns. */
export const ofDetail =
  ({ provider, category, counted }: EventFilter) =>
  ({ type, detail }: ToldEvent): boolean =>
    (category === undefined || detail.category === category) &&
    (provider === undefined || providerOf(detail) === provider) &&
    (counted === undefined || isCounted(type, detail))

/** Tells what figures tell by the log (`message-counts.ts`) from the event itself. */
function isCounted(type: EventType, { attempt, kind }: ToldEvent['detail']): boolean {
  if (type === 'deferred') return typeof attempt !== 'number' || attempt === 1
  return (type !== 'opened' && type !== 'clicked') || kind === 'first'
}

const providerOf = ({ mx }: ToldEvent['detail']): string | null =>
  (typeof mx === 'string' ? espOf(mx)?.name : undefined) ?? null

const isFound = ({ emailBegins, words }: EventSearch, { email, subject }: ToldEvent): boolean =>
  inAnyCase(email).startsWith(inAnyCase(emailBegins)) || hasWords(subject, words)

/** True if each of these words begins one of the subject's; false for no words. */
export function hasWords(subject: string, words: readonly string[]): boolean {
  const all = words.length === 0 ? [] : subjectWords(subject)
  return words.length > 0 && words.every((word) => all.some((one) => one.startsWith(word)))
}

/** True for a filter that a row of the feed cannot answer. */
export const isOfContent = (filter: EventFilter): boolean => {
  const { email, search, stream, tag, provider, category, counted } = filter
  return [email, search, stream, tag, provider, category, counted].some((one) => one !== undefined)
}
