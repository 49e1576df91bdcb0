// Reads the event filter from a query, for the event list and the event stream.

import { readAddress, readMetadata, readTime } from '../../http/filters.ts'
import { nearest } from '../../lib/nearest.ts'
import { EVENT_TYPES } from '../../model/event.ts'
import type { FieldProblem } from '../../model/problem.ts'
import type { EventFilter } from '../../store/events/event-filter.ts'

interface FilterQuery {
  readonly type?: string
  readonly message_id?: string
  readonly recipient?: string
  readonly stream?: string
  readonly tag?: string
  readonly after?: string
  readonly before?: string
}

/** Returns the event filter of a query, and adds invalid values to the problems. */
export function readFilter(query: FilterQuery, problems: FieldProblem[]): EventFilter {
  return {
    types: query.type === undefined ? undefined : readTypes(EVENT_TYPES, query.type, problems),
    messageId: query.message_id,
    email: readAddress('recipient', query.recipient, problems),
    stream: query.stream,
    tag: query.tag,
    metadata: readMetadata(query, problems),
    after: readTime('after', query.after, problems),
    before: readTime('before', query.before, problems),
  }
}

/** Returns the event types of a list with commas, and adds the first word that is no type to the problems. */
export function readTypes<Type extends string>(
  known: readonly Type[],
  text: string,
  problems: FieldProblem[],
): ReadonlySet<Type> {
  const isType = (word: string): word is Type => (known as readonly string[]).includes(word)
  const types = new Set<Type>()
  for (const word of text.split(',').map((one) => one.trim())) {
    if (isType(word)) {
      types.add(word)
      continue
    }
    const near = nearest(word, known)
    const hint = near === undefined ? `one of ${known.join(', ')}` : `did you mean ${near}?`
    problems.push({
      path: 'type',
      code: 'invalid_value',
      message: `There is no event type "${word.slice(0, 40)}"; ${hint}`,
    })
    break
  }
  return types
}
