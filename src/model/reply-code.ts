// The code by which refusals of a mail host are counted: the code of the provider, the enhanced code or the reply code.

import type { Reply } from './reply.ts'

/** Code of a deferral by greylisting, which ends by itself and is no sign of trouble. */
export const GREYLISTED = 'greylisted'

/**
 * Own codes of large providers within the text of a reply: Yahoo (`TSS04`), Microsoft (`S3150`, `SC-001`) and Apple
 * (`CS01`, `HM08`). The codes are in the documents for postmasters of these providers.
 */
const OF_PROVIDERS = /\b(TSS?0\d|PH01|BL2\d|S3[0-9]{3}|S775|(?:RP|SC|DY|OU)-00\d|CS01|HM0\d)\b/

const MAX_TEXT = 1_000

/** Returns the code of a refusal, such as `TSS04`, `4.7.28` or `421`. */
export function replyCode({ code, enhanced, text }: Reply): string {
  const start = text.slice(0, MAX_TEXT)
  if (code < 500 && /gr[ae]y-?list/i.test(start)) return GREYLISTED
  return OF_PROVIDERS.exec(start)?.[1] ?? enhanced ?? String(code)
}
