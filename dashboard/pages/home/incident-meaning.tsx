// The meaning of an incident, whose texts most visits to the home page do not need.

import { incidentCauses } from '../../texts/en/incident-causes.ts'
import { fill } from '../../texts/texts.ts'
import type { Concern } from './calls.ts'

export default function IncidentMeaning({ values }: Pick<Concern, 'values'>) {
  const name = String(values.meaning)
  if (!Object.hasOwn(incidentCauses, name)) return null
  const { meaning } = incidentCauses[name as keyof typeof incidentCauses]
  return `${fill(meaning, values as never)} `
}
