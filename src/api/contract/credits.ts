// Shapes of the verification credits of an account.

import { type Static, Type } from 'typebox'
import { nullable, Timestamp } from './common.ts'

export const CreditsView = Type.Object(
  {
    balance: Type.Integer(),
    grants: Type.Array(
      Type.Object({
        grant_id: Type.String(),
        credits: Type.Integer({ description: 'Negative for credits that the operator removed' }),
        note: nullable(Type.String()),
        granted_at: Timestamp,
      }),
      { description: 'The latest 100, newest first' },
    ),
    uses: Type.Array(Type.Object({ day: Type.String(), credits: Type.Integer() }), {
      description: 'One entry for each of the last 90 days, oldest first',
    }),
  },
  { description: 'Verification credits of the account' },
)
export type CreditsView = Static<typeof CreditsView>
