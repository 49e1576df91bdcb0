// Suggestions after the first message, which stay until the user hides them in this browser.

import { Anchor, Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { Card } from '../../parts/card.tsx'
import { useMay } from '../../session.ts'
import { home } from '../../texts/en/home.ts'
import { domainsQuery } from '../domains/calls.ts'

const HIDDEN = 'postrider next steps'

export function NextSteps() {
  const [hidden, setHidden] = useState(isHidden)
  const domainId = useQuery(domainsQuery).data?.data.find(({ status }) => status === 'verified')?.domain_id
  const mayInvite = useMay('admin')
  if (hidden || domainId === undefined) return null
  const hide = () => {
    setHidden(true)
    keepHidden()
  }
  const steps: readonly (readonly [address: string, label: string])[] = [
    [`/domains/${domainId}/templates`, home.nextTemplate],
    [`/domains/${domainId}/webhooks`, home.nextWebhook],
    ...(mayInvite ? ([['/account/users', home.nextUsers]] as const) : []),
    ['/account/profile', home.nextLogin],
  ]
  return (
    <Card
      title={home.nextSteps}
      actions={
        <Button size="xs" variant="default" onClick={hide}>
          {home.hideNextSteps}
        </Button>
      }
    >
      <Group gap="lg">
        {steps.map(([address, label]) => (
          <Anchor key={address} component={Link} to={address} underline="always">
            {label}
          </Anchor>
        ))}
      </Group>
    </Card>
  )
}

function isHidden(): boolean {
  try {
    return localStorage.getItem(HIDDEN) !== null
  } catch {
    return false
  }
}

function keepHidden(): void {
  try {
    localStorage.setItem(HIDDEN, 'yes')
  } catch {
    // The suggestions appear again after the next load if the browser has no storage.
  }
}
