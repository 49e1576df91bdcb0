// Earlier verifications of single addresses.

import { Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { Card } from '../../parts/card.tsx'
import { DataTable, useCursor } from '../../parts/data-table.tsx'
import { inWords } from '../../parts/in-words.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { verification as words } from '../../texts/en/verification.ts'
import { checksQuery } from './calls.ts'
import { reasonOf, TONES } from './words.ts'

/** The verifications by the users and API keys of the account, newest first. */
export function EarlierChecks() {
  const checks = useQuery(checksQuery(useCursor()))
  return (
    <Card flush title={words.check.earlier}>
      <DataTable
        label={words.check.earlier}
        query={checks}
        keyOf={({ check_id }) => check_id}
        columns={[
          {
            title: words.address,
            cell: ({ email }) =>
              email.includes('@') ? (
                <Anchor component={Link} to={`/addresses/${encodeURIComponent(email)}`} c="inherit">
                  {email}
                </Anchor>
              ) : (
                email
              ),
          },
          {
            title: words.result,
            cell: ({ result }) => (
              <StatusBadge status={result} label={inWords(result)} tone={TONES[result] ?? 'quiet'} />
            ),
          },
          { title: words.reason, from: 'md', cell: (answer) => reasonOf(answer) },
          { title: words.by, from: 'lg', cell: ({ by }) => by ?? '' },
          { title: words.time, from: 'sm', cell: ({ checked_at }) => <Time at={checked_at} /> },
        ]}
        empty={
          <Text c="dimmed" p="lg">
            {words.check.noneEarlier}
          </Text>
        }
      />
    </Card>
  )
}
