// Shapes of the requirements of large receivers in the API.

import { type Static, Type } from 'typebox'
import {
  RECEIVER_NAMES,
  REQUIREMENT_SOURCES,
  REQUIREMENT_STATUSES,
  REQUIREMENTS,
} from '../../model/requirement.ts'
import { closed, nullable, Timestamp } from './common.ts'

const Provider = Type.Enum([...RECEIVER_NAMES], { description: 'Named as in `esp` and the statistics' })

export const RequirementsQuery = Type.Object({ provider: Type.Optional(Provider) }, closed)

const Value = (description: string) => nullable(Type.Union([Type.Number(), Type.String()], { description }))
const Day = (description: string) =>
  nullable(Type.String({ format: 'date', description: `${description}, in UTC` }))

const RequirementCheck = Type.Object({
  requirement: Type.Enum([...REQUIREMENTS]),
  status: Type.Enum([...REQUIREMENT_STATUSES], {
    description: '`not_known`: no source tells; a requirement is never `met` without a source',
  }),
  measured: Value('Share, or description of what was found'),
  threshold: Value('Limit of the receiver; null for a requirement without one'),
  source: nullable(
    Type.Enum([...REQUIREMENT_SOURCES], {
      description:
        '`own`: figures and replies of this installation. `report`: DMARC reports of the receiver. `postmaster`: Google Postmaster Tools',
    }),
  ),
  since: nullable(
    Type.Unsafe<string>({
      ...Timestamp,
      description: 'Time since which the status holds; null before the first hourly check of the status',
    }),
  ),
  what_to_do: nullable(Type.String({ description: 'Remedy; null for a requirement that is met' })),
})

const ReceiverRequirements = Type.Object({
  provider: Provider,
  bulk: Type.Object(
    {
      threshold: nullable(
        Type.Integer({
          description: 'Messages a day from which a sender is a bulk sender; null if unpublished',
        }),
      ),
      highest: Type.Integer({ description: 'Highest number of messages delivered in a day' }),
      highest_day: Day('Day with the highest number'),
      since: Day('First day as a bulk sender; Gmail never forgets this day'),
    },
    { description: 'Volume of the account from all domains below the registrable domain' },
  ),
  checks: Type.Array(RequirementCheck),
})

export const RequirementsView = Type.Object({
  data: Type.Array(ReceiverRequirements),
  next_cursor: Type.Null(),
})
export type RequirementsView = Static<typeof RequirementsView>
