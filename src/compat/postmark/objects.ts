// Finds the objects that a request of Postmark names by a number or a UUID.

import { callerOf } from '../../api/caller.ts'
import { type IdPrefix, idOfUuid } from '../../lib/ids.ts'
import type { NumberedNoun } from '../../model/numbered-noun.ts'
import { Problem } from '../../model/problem.ts'
import { findObject, numberOf, numbersOf } from '../numbers.ts'
import type { Translation } from '../translation.ts'
import { CODES, PostmarkProblem } from './problem.ts'

/** Returns the ID of the object with the number in the path. Throws `missing` if there is none. */
export async function numberedIn(
  translation: Translation,
  noun: NumberedNoun,
  missing: Problem,
  name = 'id',
): Promise<string> {
  const text = translation.param(name)
  if (!/^\d{1,15}$/.test(text)) throw missing
  const { services, request } = translation
  const id = await findObject(services, callerOf(request), noun, Number(text))
  if (id === undefined) throw missing
  return id
}

/** Returns the ID of the object with the UUID in the path. Throws `missing` if the text is not a UUID. */
export function uuidIn(translation: Translation, prefix: IdPrefix, missing: Problem): string {
  const id = idOfUuid(prefix, translation.param('id'))
  if (id === undefined) throw missing
  return id
}

/** Returns the number of an object for the caller. */
export const shownNumber = ({ services, request }: Translation, noun: NumberedNoun, id: string) =>
  numberOf(services, callerOf(request), noun, id)

/** Returns the numbers of objects for the caller, by ID. */
export const shownNumbers = (
  { services, request }: Translation,
  noun: NumberedNoun,
  ids: readonly string[],
) => numbersOf(services, callerOf(request), noun, ids)

/** Returns the result of some work; a missing object is refused with `missing` instead. */
export async function orMissing<T>(missing: Problem, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw error instanceof Problem && error.code === 'not_found' ? missing : error
  }
}

/** Refusals of missing objects. */
export const MISSING = {
  message: new PostmarkProblem('not_found', CODES.message, 'There is no message with this ID.'),
  bounce: new PostmarkProblem('not_found', CODES.bounce, 'There is no bounce with this ID.'),
  stream: new PostmarkProblem('not_found', CODES.stream, 'There is no message stream with this ID.'),
  webhook: new Problem('not_found', 'There is no webhook with this ID.'),
  domain: new PostmarkProblem('not_found', CODES.domain, 'There is no domain with this ID.'),
  server: new Problem('not_found', 'There is no server with this ID.'),
  removal: new Problem('not_found', 'There is no data removal with this ID.'),
} as const
