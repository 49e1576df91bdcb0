// Samples of bounces in the style of many mail systems, written for these tests. Each file is a whole mail after a
// first line, which contains the expected result of reading the mail as JSON.

import { readdirSync, readFileSync } from 'node:fs'
import type { BounceCategory } from '../model/bounce-category.ts'
import type { Action } from './report.ts'
import { ORIGINAL } from './sample-mail.test-data.ts'

/** A sample mail, and the expected result of reading the mail. */
export interface BounceSample {
  readonly name: string
  readonly mail: Buffer
  readonly form: string
  readonly action: Action
  /** First address that the mail names; absent without an address. */
  readonly to?: string
  readonly status?: string
  /** Expected category of the bounce, if delivery failed. */
  readonly category?: BounceCategory
  readonly hard?: boolean
  /** SMTP reply code that the bounce message quotes. */
  readonly code?: number
}

/** Delivery reports by RFC 3464, and bounces in words that follow no RFC. */
export const BOUNCE_SAMPLES: readonly BounceSample[] = ['reports', 'words'].flatMap(samplesIn)

/** Returns the sample of that name. Throws for an unknown name. */
export function bounceSample(name: string): BounceSample {
  const found = BOUNCE_SAMPLES.find((sample) => sample.name === name)
  if (found === undefined) throw new Error(`there is no sample ${name}`)
  return found
}

/**
 * Builds the samples from the files of a folder: `{{original}}` is the placeholder for the header section of the
 * returned message; lines end in CRLF unless `lines` is LF.
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
