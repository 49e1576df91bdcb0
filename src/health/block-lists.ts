// Checks whether block lists name the own addresses and domains, by the latest lookups in the store.

import { removalPageOf } from '../dns/block-list.ts'
import { type Read, reading } from '../store/database/store.ts'
import { type ListLook, listLooks } from '../store/node/list-looks.ts'
import { type Check, fail, ok, skipped, warn } from './check.ts'

const NAME = 'block lists'

/** Settings of the lookups in block lists. */
export interface BlockListSettings {
  readonly mode: 'playground' | 'production'
  readonly blockLists: readonly unknown[]
}

/** Returns the page on which a list removes an entry; null for a list that is not known. */
export const removalPageOfLook = ({ zone }: ListLook): string | null => removalPageOf(zone)

/** Returns a check for each listed address or domain and for each list that does not work, or one check for all. */
export async function checkBlockLists({ mode, blockLists }: BlockListSettings, read: Read): Promise<Check[]> {
  if (blockLists.length === 0) {
    return [skipped(NAME, mode === 'playground' ? 'playground' : 'POSTRIDER_BLOCK_LISTS is off')]
  }
  const rows = await reading(listLooks(read))
  const looks = rows.filter(({ checked_at, due_at }) => checked_at !== null && due_at !== null)
  if (looks.length === 0) return [skipped(NAME, 'looked up within a minute of the start of the service')]
  const subjects = [...new Set(looks.map(({ subject }) => subject))]
  const listed = subjects.flatMap((subject) => checkSubject(subject, looks))
  const silent = [...new Set(looks.map(({ zone }) => zone))].flatMap((zone) => checkZone(zone, looks))
  if (listed.length + silent.length > 0) return [...listed, ...silent]
  const [one = ''] = subjects
  const what = subjects.length === 1 ? one : `${subjects.length} addresses and domains`
  return [ok(NAME, `no list names ${what}`)]
}

function checkSubject(subject: string, looks: readonly ListLook[]): Check[] {
  const on = looks.filter((look) => look.subject === subject && look.state === 'listed')
  if (on.length === 0) return []
  const pages = on.flatMap(({ zone }) => removalPageOf(zone) ?? [])
  const ask = pages.length === 0 ? 'ask the list for the removal' : `request the removal: ${pages[0]}`
  return [
    fail(
      `${NAME} ${subject}`,
      `is on ${on.map(({ zone, answer }) => `${zone} (${answer})`).join(', ')}`,
      `Find and fix the cause, then ${ask}.`,
    ),
  ]
}

/** Returns a warning about a list that gives no usable answer for any address or domain. */
function checkZone(zone: string, looks: readonly ListLook[]): Check[] {
  const ofZone = looks.filter((look) => look.zone === zone)
  const [first] = ofZone
  if (first === undefined || ofZone.some(({ state }) => state !== 'not_known')) return []
  return [
    warn(
      `${NAME} ${zone}`,
      `gives no usable answer: ${first.answer}`,
      'Many lists refuse public name servers: set your own with POSTRIDER_DNS_SERVERS, and a key with POSTRIDER_SPAMHAUS_KEY; or remove the list from POSTRIDER_BLOCK_LISTS.',
    ),
  ]
}
