// List of the problems that need action, most severe first.

import { Alert, Anchor, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { IconAlertTriangle } from '../../parts/icons.tsx'
import { home } from '../../texts/en/home.ts'
import { type Concern, concernsQuery } from './calls.ts'
import { concernInWords } from './concern-words.ts'

const COLORS = { error: 'red', warning: 'yellow', info: 'post' } as const

export function Concerns() {
  const concerns = useQuery(concernsQuery).data?.data ?? []
  if (concerns.length === 0) return null
  return (
    <Stack gap="xs" component="section" aria-label={home.needsAttention}>
      {concerns.map((concern) => (
        <ConcernAlert key={`${concern.kind} ${concern.title}`} concern={concern} />
      ))}
    </Stack>
  )
}

function ConcernAlert({ concern }: { readonly concern: Concern }) {
  const { severity, link: to } = concern
  const { title, action } = concernInWords(concern)
  return (
    <Alert color={COLORS[severity]} icon={<IconAlertTriangle size={18} />} title={title}>
      <Text fz="sm">
        {action} {/* The text links only to pages of the dashboard. */}
        {to.startsWith('/') && (
          <Anchor component={Link} to={to} inherit underline="always">
            {home.view}
          </Anchor>
        )}
      </Text>
    </Alert>
  )
}
