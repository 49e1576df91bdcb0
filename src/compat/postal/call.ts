// Parts that all calls of Postal share: parameters as JSON or in a form, and the envelope of a response.

import { createHash } from 'node:crypto'
import { callerOf } from '../../api/caller.ts'
import { FormFields } from '../../http/form-fields.ts'
import { timeOfId } from '../../lib/ids.ts'
import { numberOfEvent } from '../../model/event-number.ts'
import type { FieldNames, Fields } from '../reading.ts'
import type { Translation } from '../translation.ts'

/** Returns the parameters, which are a JSON body, or JSON in the field `params` of a form. */
export function parametersOf(translation: Translation, names: FieldNames): Fields {
  const { request, reading } = translation
  if (!(request.body instanceof FormFields)) return translation.body(names)
  const text = request.body.text('params')
  try {
    return reading.fields(text === undefined ? {} : JSON.parse(text), names)
  } catch {
    reading.wrong('params', 'invalid_json', 'The field params must contain JSON.')
    return reading.fields({}, names)
  }
}

/** Returns the data of a successful response in Postal's envelope. */
export const succeeded = ({ reply }: Translation, data: unknown): object => ({
  ...{ status: 'success', time: Math.round(reply.elapsedTime) / 1_000, flags: {}, data },
})

/** ID of a recipient of a message, for which Postal has a message of its own. */
export const recipientId = (messageId: string, position: number): string => `${messageId}.${position}`

/**
 * Returns the number of a recipient: the second of the message, and a hash of the ID, so that a message is found by the
 * number without a table.
 */
export const recipientNumber = (id: string): number =>
  numberOfEvent({ id, at: timeOfId(id.slice(0, id.lastIndexOf('.'))) })

/** Returns the token of a recipient, which clients store and do not send. */
export const tokenOf = (translation: Translation, id: string): string =>
  createHash('sha256')
    .update(`${callerOf(translation.request).accountId} ${id}`)
    .digest('base64url')
    .replaceAll(/[-_]/g, 'x')
    .slice(0, 16)
