// Names of the scopes of a key: the name of a ready-made set, or the first scope.

import { managementKeys as words } from '../../texts/en/management-keys.ts'
import { counted } from '../../texts/texts.ts'
import type { GivenScopes, Scope } from './calls.ts'

/** Returns the noun of a scope: `messages` of `messages:read`. */
export const nounOf = (scope: Scope): keyof typeof words.nouns =>
  scope.split(':')[0] as keyof typeof words.nouns

/** Returns the name of an action: "Read" for `messages:read`. */
export const verbOf = (scope: Scope): string => words.verbs[scope.split(':')[1] as keyof typeof words.verbs]

/**
 * Returns the name of the ready-made set with exactly these scopes; otherwise the first scope and the number of further
 * scopes.
 */
export function scopesInWords(scopes: readonly Scope[], sets: GivenScopes['sets']): string {
  const held = new Set(scopes)
  const set = sets.find(
    ({ scopes: ofSet }) => ofSet.length === held.size && ofSet.every((one) => held.has(one)),
  )
  if (set !== undefined) return words.sets[set.name].name
  const [first = '', ...others] = scopes
  return others.length === 0 ? first : counted(words.scopeAndMore, others.length, { scope: first })
}
