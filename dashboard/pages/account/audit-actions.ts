// Names of the actions in the audit log: `key.create` is "Key created".

import { inWords } from '../../parts/in-words.ts'
import { audit } from '../../texts/en/audit.ts'

/**
 * Returns the name of an action in the language of the user.
 * @param action a noun and a verb, such as `recovery-code.create`; an action without a text is shown unchanged, but
 * with spaces
 */
export const actionName = (action: string): string =>
  (audit.actions as Readonly<Record<string, string>>)[action] ?? inWords(action.replace(/[.-]/g, ' '))
