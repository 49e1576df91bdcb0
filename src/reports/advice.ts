// Says in a sentence what to do about a source of mail.

import type { Failing, Mechanism } from './failing.ts'
import type { Source } from './sources.ts'

/** Figures of a source that decide about the advice. */
export interface AdvisedFigures {
  readonly messages: number
  readonly pass: number
  readonly failing: Failing | undefined
}

/** Share of messages that pass DMARC from which nothing has to be done. */
const GOOD = 0.98

const MENDS: Readonly<Record<Mechanism, string>> = {
  dkim: 'Compare the DKIM records in the DNS with the records that the domain page shows, and verify the domain.',
  spf: 'Check that the return-path record of the domain points to this service, and that the SPF record of the return-path host names the address.',
  dmarc: 'Check the DKIM and return-path records of the domain; receivers can refuse the mail.',
}
const WORDS: Readonly<Record<Mechanism, string>> = { dkim: 'DKIM', spf: 'SPF', dmarc: 'DMARC' }

/** Returns the advice about a source; empty if nothing has to be done. */
export function adviceOn({ kind, name }: Pick<Source, 'kind' | 'name'>, figures: AdvisedFigures): string {
  const { failing, messages, pass } = figures
  const share = messages === 0 ? 1 : pass / messages
  if (kind === 'forwarded') return ''
  if (kind === 'ours') {
    if (failing !== undefined) return `${since(failing)} ${MENDS[failing.mechanism]}`
    return share >= GOOD ? '' : `Some mail of this service is not aligned. ${MENDS.dmarc}`
  }
  if (kind === 'known') {
    const remedy = `Set up DKIM with your own domain at ${name}, so that its signature is aligned with the From address.`
    if (failing !== undefined) return `${since(failing)} ${remedy}`
    return share >= GOOD ? '' : remedy
  }
  return share >= GOOD
    ? 'The mail passes DMARC, so a record of your domain permits this source. If the source is yours, mark it as known; otherwise remove its record.'
    : 'If this source sends your mail, mark it as known and set up DKIM there. Otherwise somebody uses your domain: a DMARC policy of quarantine or reject lets receivers refuse such mail.'
}

const since = ({ mechanism, since: day, addresses, receivers }: Failing): string =>
  `${WORDS[mechanism]} has failed since ${day} for mail from ${few(addresses)}, as ${few(receivers)} reports.`

/** Returns the first names of a list, with the number of the others. */
function few(names: readonly string[]): string {
  const shown = names.slice(0, 3).join(', ')
  return names.length > 3 ? `${shown} and ${names.length - 3} others` : shown
}
