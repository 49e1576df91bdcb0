// Shape of verification credits in the dashboard.

import { type Static, Type } from 'typebox'
import { Timestamp } from './common.ts'

export const CreditsView = Type.Object({
  balance: Type.Integer(),
  grants: Type.Array(
    Type.Object({
      grant_id: Type.String(),
      credits: Type.Integer(),
      note: Type.Union([Type.String(), Type.Null()]),
      granted_at: Timestamp,
    }),
    { description: 'Newest first' },
  ),
  uses: Type.Array(Type.Object({ day: Type.String(), credits: Type.Integer() }), {
    description: 'One entry for each of the last 90 days, oldest first',
  }),
})
export type CreditsView = Static<typeof CreditsView>
