// The catch-all probe address: a mailbox that does not exist, to find out whether a host takes mail for any name.

import { randomFillSync } from 'node:crypto'

const LENGTH = 24
/** Without vowels: no word and no name comes of it. */
const LETTERS = 'bcdfghjkmnpqrstvwxz23456789'
const MADE_UP = new RegExp(`^[${LETTERS}]{${LENGTH}}$`)

/** A random local part (114 bits). */
export function catchAllProbeLocalPart(): string {
  let name = ''
  for (const byte of randomFillSync(new Uint8Array(LENGTH))) name += LETTERS[byte % LETTERS.length]
  return name
}

/** True if a local part looks like one of these. */
export const isMadeUpMailbox = (local: string): boolean => MADE_UP.test(local)
