// The list of open invitations.

import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Card } from '../../parts/card.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { inWords } from '../../parts/in-words.ts'
import { tell } from '../../parts/tell.ts'
import { Time } from '../../parts/time.tsx'
import { account as words } from '../../texts/en/account.ts'
import { fill } from '../../texts/texts.ts'
import { invitationsQuery, removeInvitation } from './calls.ts'

export function Invitations() {
  const invitations = useQuery(invitationsQuery)
  const queries = useQueryClient()
  const removing = useMutation({
    mutationFn: (id: string) => removeInvitation(id),
    onError: tell.problem,
    onSettled: () => queries.invalidateQueries({ queryKey: invitationsQuery.queryKey }),
  })
  if (invitations.data?.data.length === 0) return null
  return (
    <Card title={words.people.invitations} flush>
      <DataTable
        label={words.people.invitations}
        query={invitations}
        keyOf={({ invitation_id }) => invitation_id}
        columns={[
          { title: words.people.email, cell: ({ email }) => email },
          { title: words.people.role, cell: ({ role }) => inWords(role) },
          {
            title: words.people.expires,
            from: 'sm',
            cell: ({ expires_at }) => <Time at={expires_at} passed={words.people.expired} />,
          },
          {
            title: '',
            number: true,
            cell: ({ invitation_id, email }) => (
              <Button
                size="compact-sm"
                variant="subtle"
                aria-label={fill(words.people.removeInvitation, { email })}
                onClick={() => removing.mutate(invitation_id)}
              >
                {words.remove}
              </Button>
            ),
          },
        ]}
        empty={null}
      />
    </Card>
  )
}
