// The catch-all probe address: a random local part that shows whether a host accepts mail for every name.

import { randomFillSync } from 'node:crypto'

const LENGTH = 24
/** Consonants and digits, so that a random local part is never a word or a name. */
const LETTERS = 'bcdfghjkmnpqrstvwxz23456789'
const PATTERN = new RegExp(`^[${LETTERS}]{${LENGTH}}$`)

/** Returns a random local part of 114 bits. */
export function catchAllProbeLocalPart(): string {
  let name = ''
  for (const byte of randomFillSync(new Uint8Array(LENGTH))) name += LETTERS[byte % LETTERS.length]
  return name
}

/** True if a local part has the form of a catch-all probe address. */
export const isCatchAllProbe = (local: string): boolean => PATTERN.test(local)
