// Samples of bounces in the style of many mail systems, written for these tests. Each file is a whole mail, and its
// first line has the expected reading as JSON.

import { readdirSync, readFileSync } from 'node:fs'
import type { BounceCategory } from '../model/bounce-category.ts'
import type { Action } from './report.ts'
import { ORIGINAL } from './sample-mail.test-data.ts'

/** A mail, and the expected reading. */
export interface BounceSample {
  readonly name: string
  readonly mail: Buffer
  readonly form: string
  readonly action: Action
  /** The first named address; absent when there is none. */
  readonly to?: string
  readonly status?: string
  /** Expected meaning for the recipient when it failed. */
  readonly category?: BounceCategory
  readonly hard?: boolean
  /** The reply code that was quoted. */
  readonly code?: number
}

/** Delivery reports by RFC 3464, and bounces in words alone. */
export const BOUNCE_SAMPLES: readonly BounceSample[] = ['reports', 'words'].flatMap(samplesIn)

/** Returns the sample of that name. Throws when there is none. */
export function bounceSample(name: string): BounceSample {
  const found = BOUNCE_SAMPLES.find((sample) => sample.name === name)
  if (found === undefined) throw new Error(`there is no sample ${name}`)
  return found
}

/**
 * Builds the mail: `{{original}}` stands for the header of the returned message; lines end in CRLF unless `lines` says
 * LF.
 */
function samplesIn(kind: string): BounceSample[] {
  const folder = new URL(`samples/${kind}/`, import.meta.url)
  return readdirSync(folder)
    .sort()
    .map((file) => {
      const text = readFileSync(new URL(file, folder), 'utf8').replaceAll('\r\n', '\n')
      const end = text.indexOf('\n')
      const { lines, ...sample } = JSON.parse(text.slice(0, end))
      const mail = text.slice(end + 1).replace('{{original}}', ORIGINAL)
      return { ...sample, mail: Buffer.from(lines === 'LF' ? mail : mail.replaceAll('\n', '\r\n')) }
    })
}
