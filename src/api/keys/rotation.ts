// Reads the overlap of a rotation, and the rights by which a change of a key is judged.

import { MAX_OVERLAP_MS } from '../../access/keys.ts'
import { parseDuration } from '../../lib/duration.ts'
import type { FieldProblem } from '../../model/problem.ts'
import type { JudgedRights, Key } from '../../store/access/keys.ts'

/** Time for which the secret before a rotation stays valid by default. */
export const USUAL_OVERLAP = '24h'

/** Returns the overlap of a rotation in milliseconds. */
export function overlapOf(text: string = USUAL_OVERLAP): {
  readonly ms: number
  readonly problems: FieldProblem[]
} {
  const ms = /^0[smhd]?$/.test(text) ? 0 : parseDuration(text)
  if (ms !== undefined && ms <= MAX_OVERLAP_MS) return { ms, problems: [] }
  const message = 'Give a duration of at most 30d, such as 24h, or 0s to end the secret so far at once.'
  return { ms: 0, problems: [{ path: 'overlap', code: 'invalid_duration', message }] }
}

/** Returns the rights of a key that its change is judged by, and that the key must still have at the commit. */
export const judgedRights = ({ scopes, grants, every_domain, networks, recipients }: Key): JudgedRights => ({
  ...{ scopes, grants, every_domain, networks, recipients },
})
