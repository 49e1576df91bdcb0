// Names of event types in the language of the user, for events of messages and of the account.

import type { AccountEventView } from '../../../src/api/contract/account-event.ts'
import { inWords } from '../../parts/in-words.ts'
import { accountEvents } from '../../texts/en/account-events.ts'

/** Names of the events of the account; the compiler reports a type without a name. */
const NAMES: Readonly<Partial<Record<string, string>> & Record<AccountEventView['type'], string>> =
  accountEvents.types

/** Returns the name of an event type; the name of an unknown type is the type with spaces. */
export const eventName = (type: string): string => NAMES[type] ?? inWords(type.replace('.', ' '))
