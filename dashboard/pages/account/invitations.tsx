// Open invitations.

import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Card } from '../../parts/card.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { inWords } from '../../parts/in-words.ts'
import { tell } from '../../parts/tell.ts'
import { Time } from '../../parts/time.tsx'
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
    <Card title="Invitations" flush>
      <DataTable
        label="Invitations"
        query={invitations}
        keyOf={({ invitation_id }) => invitation_id}
        columns={[
          { title: 'Email address', cell: ({ email }) => email },
          { title: 'Role', cell: ({ role }) => inWords(role) },
          { title: 'Expires', from: 'sm', cell: ({ expires_at }) => <Time at={expires_at} /> },
          {
            title: '',
            number: true,
            cell: ({ invitation_id, email }) => (
              <Button
                size="compact-sm"
                variant="subtle"
                aria-label={`Remove the invitation of ${email}`}
                onClick={() => removing.mutate(invitation_id)}
              >
                Remove
              </Button>
            ),
          },
        ]}
        empty={null}
      />
    </Card>
  )
}
