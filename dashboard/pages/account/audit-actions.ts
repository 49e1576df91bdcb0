// Actions of the audit log in words: `key.create` is "Key created".

import { inWords } from '../../parts/in-words.ts'
import { audit } from '../../texts/en/audit.ts'

/** @param action a noun and a verb, such as `recovery-code.create`; one without a text is shown by its own words. */
export const actionName = (action: string): string =>
  (audit.actions as Readonly<Record<string, string>>)[action] ?? inWords(action.replace(/[.-]/g, ' '))
