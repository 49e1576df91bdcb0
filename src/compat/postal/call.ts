// Parts that all calls of Postal share: parameters as JSON or in a form, and the envelope of a response.

import { FormFields } from '../../http/form-fields.ts'
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
