// Names of the authors in the audit log in the language of the user.

import { audit } from '../../texts/en/audit.ts'
import { fill } from '../../texts/texts.ts'

const BESIDE_USERS: Readonly<Record<string, string>> = {
  'the command line': audit.actors.commandLine,
  "the operator's token": audit.actors.operatorToken,
}

/** Returns the author of an entry; the service names a key `key NAME (…LAST4)`. The address of a user is unchanged. */
export function actorName(actor: string): string {
  const [, key] = /^key (.+)$/s.exec(actor) ?? []
  return key === undefined ? (BESIDE_USERS[actor] ?? actor) : fill(audit.actors.key, { key })
}
