// Names of event types in the language of the user, for events of messages and of the account.

import { inWords } from '../../parts/in-words.ts'
import { accountEvents } from '../../texts/en/account-events.ts'

/** Returns the name of an event type; the name of an unknown type is the type with spaces. */
export const eventName = (type: string): string =>
  (accountEvents.types as Readonly<Record<string, string>>)[type] ?? inWords(type.replace('.', ' '))
